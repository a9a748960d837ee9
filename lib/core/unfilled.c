/* SPDX-License-Identifier: MIT */
/* Derives texts from html whose references are not filled, and fills these texts. */
#include "core/unfilled.h"

#include <stdbool.h>
#include <string.h>

#include "base/limits.h"
#include "mail/textpart.h"
#include "store/body.h"

#define KEPT 16

struct entry {
	guint8 hash[SHA256_SIZE];
	GBytes *text; /* NULL: for this html the result would differ */
};

struct core_unfilled {
	GQueue entries; /* of struct entry, the latest used first */
};

static void
entry_free(void *data)
{
	struct entry *entry = data;

	g_clear_pointer(&entry->text, g_bytes_unref);
	g_free(entry);
}

struct core_unfilled *
core_unfilled_new(void)
{
	struct core_unfilled *unfilled = g_new0(struct core_unfilled, 1);

	g_queue_init(&unfilled->entries);
	return unfilled;
}

void
core_unfilled_free(struct core_unfilled *unfilled)
{
	g_queue_clear_full(&unfilled->entries, entry_free);
	g_free(unfilled);
}

static GBytes *
derive(GBytes *html)
{
	gsize size;
	const char *source = g_bytes_get_data(html, &size);
	char *text = mail_textpart_from_html(source, size);

	return g_bytes_new_take(text, strlen(text));
}

/* Counts the references that begin in bytes, and of these the ones inside tags. */
static guint
count_openings(GBytes *bytes, guint *in_tags_r)
{
	gsize size;
	const char *at = g_bytes_get_data(bytes, &size);
	bool in_tag = false;
	guint count = 0;

	*in_tags_r = 0;
	for (gsize i = 0; i < size; i++) {
		if (at[i] == '<' || at[i] == '>')
			in_tag = at[i] == '<';
		if (i + 1 == size || at[i] != '{' || at[i + 1] != '{')
			continue;
		count++;
		*in_tags_r += in_tag;
	}
	return count;
}

gsize
core_unfilled_most(gsize html_size)
{
	return MIN(html_size * LIMIT_DERIVED_TEXT_GROWTH, LIMIT_TEXT_BYTES);
}

/* Derives the text with its references unfilled. NULL when filling it could give another text than
   filling the html first:
   - it has more than references;
   - a value can be html itself, or stands in a tag (links are shown by rules of their own);
   - the text has references that the html had not, since their braces were written as &#123;;
   - the text may have been cut off in front of a character. */
static GBytes *
derive_source(GBytes *html)
{
	gsize size;
	const char *source = g_bytes_get_data(html, &size);
	guint count, in_tags, unused;

	count = count_openings(html, &in_tags);
	if (in_tags > 0 || memmem(source, size, "{{{", 3) || !mail_template_is_plain(source, size))
		return NULL;
	g_autoptr(GBytes) text = derive(html);
	return count_openings(text, &unused) <= count &&
		       g_bytes_get_size(text) + 4 <= core_unfilled_most(size)
		   ? g_steal_pointer(&text)
		   : NULL;
}

GBytes *
core_unfilled_text(struct core_unfilled *unfilled, const struct store_body *html)
{
	for (GList *link = unfilled->entries.head; link; link = link->next) {
		struct entry *entry = link->data;

		if (memcmp(entry->hash, html->hash, SHA256_SIZE) != 0)
			continue;
		g_queue_unlink(&unfilled->entries, link);
		g_queue_push_head_link(&unfilled->entries, link);
		return entry->text;
	}
	struct entry *entry = g_new(struct entry, 1);
	memcpy(entry->hash, html->hash, SHA256_SIZE);
	entry->text = derive_source(html->data);
	g_queue_push_head(&unfilled->entries, entry);
	if (unfilled->entries.length > KEPT)
		entry_free(g_queue_pop_tail(&unfilled->entries));
	return entry->text;
}

struct filling {
	mail_template_lookup lookup;
	void *context;
	bool differs;
};

/* Whether a value reads the same in html and in text. Html joins white space, and an empty value
   may remove its whole line. */
static bool
is_plain(const char *value)
{
	gsize length = strlen(value);

	return length > 0 && value[0] != ' ' && value[length - 1] != ' ' && !strstr(value, "  ") &&
	       !strpbrk(value, "\t\n\v\f\r") && !strstr(value, "\302\240");
}

static const char *
look_up(const char *name, void *context)
{
	struct filling *filling = context;
	const char *value = filling->lookup(name, filling->context);

	if (!value || !is_plain(value))
		filling->differs = true;
	return value;
}

GBytes *
core_unfilled_fill(GBytes *source, gsize most, mail_template_lookup lookup, void *context)
{
	struct filling filling = {lookup, context, false};
	gsize size, filled_size;
	const char *text = g_bytes_get_data(source, &size);

	if (!mail_template_has_tags(text, size))
		return g_bytes_ref(source);
	char *filled = mail_template_plain_render(
	    text, size, MAIL_TEMPLATE_TEXT, look_up, &filling, &filled_size, NULL);
	if (filled && !filling.differs && filled_size <= most)
		return g_bytes_new_take(filled, filled_size);
	g_free(filled);
	return NULL;
}
