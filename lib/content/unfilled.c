/* SPDX-License-Identifier: MIT */
/* Keeps the outlines of html whose references are not filled. */
#include "content/unfilled.h"

#include <string.h>

#include "base/limits/template.h"
#include "store/email/body.h"
#include "template/outline.h"

#define KEPT 16

struct entry {
	guint8 hash[SHA256_SIZE];
	bool is_read;
	struct template_outline *outline; /* NULL: it is not read, or has none */
	gsize size;
};

struct content_unfilled {
	GQueue entries; /* of struct entry, the latest used first */
	gsize size;	/* of their outlines */
};

static void
entry_free(void *data)
{
	struct entry *entry = data;

	g_clear_pointer(&entry->outline, template_outline_free);
	g_free(entry);
}

struct content_unfilled *
content_unfilled_new(void)
{
	struct content_unfilled *unfilled = g_new0(struct content_unfilled, 1);

	g_queue_init(&unfilled->entries);
	return unfilled;
}

void
content_unfilled_free(struct content_unfilled *unfilled)
{
	g_queue_clear_full(&unfilled->entries, entry_free);
	g_free(unfilled);
}

/* Contents of one email alone have no hash. */
static void
find_hash(const struct store_body *html, guint8 hash_r[SHA256_SIZE])
{
	gsize size;
	const void *data = g_bytes_get_data(html->data, &size);

	if (html->is_own)
		base_secret_sha256(data, size, hash_r);
	else
		memcpy(hash_r, html->hash, SHA256_SIZE);
}

static struct entry *
note_hash(const guint8 hash[SHA256_SIZE])
{
	struct entry *entry = g_new0(struct entry, 1);

	memcpy(entry->hash, hash, SHA256_SIZE);
	return entry;
}

static void
unfilled_read_html(struct entry *entry, const struct store_body *html)
{
	gsize size;
	const char *source = g_bytes_get_data(html->data, &size);

	if (entry->is_read)
		return;
	entry->is_read = true;
	entry->outline = template_outline_read(source, size);
	entry->size = entry->outline ? template_outline_size(entry->outline) : 0;
}

/* Takes out the entry of html with this hash. NULL: there is none. */
static struct entry *
unfilled_take(struct content_unfilled *unfilled, const guint8 hash[SHA256_SIZE])
{
	for (GList *link = unfilled->entries.head; link; link = link->next) {
		struct entry *entry = link->data;

		if (memcmp(entry->hash, hash, SHA256_SIZE) != 0)
			continue;
		g_queue_delete_link(&unfilled->entries, link);
		unfilled->size -= entry->size;
		return entry;
	}
	return NULL;
}

/* Removes those that were not used for longest until the entry has room among the others. */
static void
unfilled_keep(struct content_unfilled *unfilled, struct entry *entry)
{
	unfilled->size += entry->size;
	while (unfilled->entries.length == KEPT ||
	       (unfilled->size > LIMIT_UNFILLED_KEPT_BYTES && unfilled->entries.length > 0)) {
		struct entry *last = g_queue_pop_tail(&unfilled->entries);
		unfilled->size -= last->size;
		entry_free(last);
	}
	g_queue_push_head(&unfilled->entries, entry);
}

/* at_once: reads html that was not asked for lately, too. */
static const struct template_outline *
unfilled_find(struct content_unfilled *unfilled, const struct store_body *html, bool at_once)
{
	guint8 hash[SHA256_SIZE];

	if (g_bytes_get_size(html->data) > UNFILLED_SIZE)
		return NULL;
	find_hash(html, hash);
	struct entry *entry = unfilled_take(unfilled, hash);
	bool is_new = !entry;
	if (is_new)
		entry = note_hash(hash);
	if (at_once || !is_new)
		unfilled_read_html(entry, html);
	unfilled_keep(unfilled, entry);
	return entry->outline;
}

const struct template_outline *
content_unfilled_find(struct content_unfilled *unfilled, const struct store_body *html)
{
	return unfilled_find(unfilled, html, true);
}

const struct template_outline *
content_unfilled_find_again(struct content_unfilled *unfilled, const struct store_body *html)
{
	return unfilled_find(unfilled, html, false);
}
