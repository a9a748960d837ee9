/* Derives the text of an email from its html. Where it makes no difference it is derived before the
   variables are filled in: then that is done once for all emails of the same html. */
#include "core/derive.h"

#include <string.h>

#include "base/limits.h"
#include "mail/textpart.h"
#include "store/body.h"

#define KEPT 16
#define KEPT_SIZE (256 * 1024) /* larger html is rare, and not kept */

struct entry {
	guint8 hash[SHA256_SIZE];
	GBytes *text; /* NULL: of this html it makes a difference */
};

struct derived {
	GQueue entries; /* of struct entry, the latest used first */
};

static void
entry_free(void *data)
{
	struct entry *entry = data;

	g_clear_pointer(&entry->text, g_bytes_unref);
	g_free(entry);
}

struct derived *
core_derived_new(void)
{
	struct derived *derived = g_new(struct derived, 1);

	g_queue_init(&derived->entries);
	return derived;
}

void
core_derived_free(struct derived *derived)
{
	g_queue_clear_full(&derived->entries, entry_free);
	g_free(derived);
}

static GBytes *
derive(GBytes *html)
{
	gsize size;
	const char *source = g_bytes_get_data(html, &size);
	char *text = mail_textpart_from_html(source, size);

	return g_bytes_new_take(text, strlen(text));
}

/* How many references begin, those in tags counted apart. */
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

/* The text with its references in it; NULL where values can be html themselves or are part of a tag
   (a link is shown by rules of its own), and where the text has references that the html had not
   (their braces were written as &#123;). */
static GBytes *
derive_source(GBytes *html)
{
	gsize size;
	const char *source = g_bytes_get_data(html, &size);
	guint count, in_tags, unused;

	count = count_openings(html, &in_tags);
	if (in_tags > 0 || memmem(source, size, "{{{", 3))
		return NULL;
	g_autoptr(GBytes) text = derive(html);
	return count_openings(text, &unused) <= count ? g_steal_pointer(&text) : NULL;
}

static GBytes *
find(struct derived *derived, const struct body *html)
{
	for (GList *link = derived->entries.head; link; link = link->next) {
		struct entry *entry = link->data;

		if (memcmp(entry->hash, html->hash, SHA256_SIZE) != 0)
			continue;
		g_queue_unlink(&derived->entries, link);
		g_queue_push_head_link(&derived->entries, link);
		return entry->text;
	}
	struct entry *entry = g_new(struct entry, 1);
	memcpy(entry->hash, html->hash, SHA256_SIZE);
	entry->text = derive_source(html->data);
	g_queue_push_head(&derived->entries, entry);
	if (derived->entries.length > KEPT)
		entry_free(g_queue_pop_tail(&derived->entries));
	return entry->text;
}

struct filling {
	mail_template_lookup lookup;
	void *context;
	bool differs;
};

/* Values that read otherwise in html: white space is joined there, and an empty one may take its
   whole line along. */
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

/* NULL when it would not be the text of the filled html. */
static GBytes *
fill(GBytes *source, mail_template_lookup lookup, void *context)
{
	struct filling filling = {lookup, context, false};
	gsize size, filled_size;
	const char *text = g_bytes_get_data(source, &size);

	if (!mail_template_has_references(text, size))
		return g_bytes_ref(source);
	char *filled = mail_template_render(
	    text, size, MAIL_TEMPLATE_TEXT, look_up, &filling, &filled_size, NULL);
	if (filled && !filling.differs && filled_size <= LIMIT_TEXT_BYTES)
		return g_bytes_new_take(filled, filled_size);
	g_free(filled);
	return NULL;
}

GBytes *
core_derive_text(struct derived *derived, const struct body *html, GBytes *filled,
    mail_template_lookup lookup, void *context)
{
	if (derived && g_bytes_get_size(html->data) <= KEPT_SIZE) {
		GBytes *source = find(derived, html);
		GBytes *text = source ? fill(source, lookup, context) : NULL;

		if (text)
			return text;
	}
	return derive(filled);
}
