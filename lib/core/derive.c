/* SPDX-License-Identifier: MIT */
/* Derives the text and the links of an email from its html. Where it makes no difference the text
   is derived before the variables are filled in: then that is done once for all emails of the same
   html. Else it is done once for all copies of an email. */
#include "core/derive.h"

#include <string.h>

#include "base/limits.h"
#include "mail/html.h"
#include "mail/links.h"
#include "mail/textpart.h"
#include "store/email.h"

#define KEPT 16
#define KEPT_SIZE (256 * 1024) /* larger html is rare, and not kept */

struct entry {
	guint8 hash[SHA256_SIZE];
	GBytes *text; /* NULL: of this html it makes a difference */
};

/* Of an email with several copies. */
struct found {
	struct base_id email;
	gsize html_size;
	char *url;		  /* that stands in it to unsubscribe; NULL: none */
	GBytes *text;		  /* NULL: not wanted */
	struct mail_links *links; /* likewise */
};

struct core_derived {
	GQueue entries; /* of struct entry, the latest used first */
	GQueue emails;	/* of struct found, likewise */
	gsize bytes;	/* of these */
};

static void
entry_free(void *data)
{
	struct entry *entry = data;

	g_clear_pointer(&entry->text, g_bytes_unref);
	g_free(entry);
}

static void
found_free(void *data)
{
	struct found *found = data;

	g_free(found->url);
	g_clear_pointer(&found->text, g_bytes_unref);
	g_clear_pointer(&found->links, mail_links_free);
	g_free(found);
}

struct core_derived *
core_derived_new(void)
{
	struct core_derived *derived = g_new0(struct core_derived, 1);

	g_queue_init(&derived->entries);
	g_queue_init(&derived->emails);
	return derived;
}

void
core_derived_free(struct core_derived *derived)
{
	g_queue_clear_full(&derived->entries, entry_free);
	g_queue_clear_full(&derived->emails, found_free);
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

/* The text of html of this size is cut off there. */
static gsize
most_of(gsize html_size)
{
	return MIN(html_size * LIMIT_DERIVED_TEXT_GROWTH, LIMIT_TEXT_BYTES);
}

/* The text with its references in it; NULL where values can be html themselves or are part of a tag
   (a link is shown by rules of its own), where the text has references that the html had not (their
   braces were written as &#123;), and where it may have been cut off before a character. */
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
	return count_openings(text, &unused) <= count && g_bytes_get_size(text) + 4 <= most_of(size)
		   ? g_steal_pointer(&text)
		   : NULL;
}

static GBytes *
find(struct core_derived *derived, const struct store_body *html)
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
fill(GBytes *source, gsize most, mail_template_lookup lookup, void *context)
{
	struct filling filling = {lookup, context, false};
	gsize size, filled_size;
	const char *text = g_bytes_get_data(source, &size);

	if (!mail_template_has_references(text, size))
		return g_bytes_ref(source);
	char *filled = mail_template_render(
	    text, size, MAIL_TEMPLATE_TEXT, look_up, &filling, &filled_size, NULL);
	if (filled && !filling.differs && filled_size <= most)
		return g_bytes_new_take(filled, filled_size);
	g_free(filled);
	return NULL;
}

/* The text by way of the source's; NULL where it makes a difference. */
static GBytes *
text_of_source(struct core_derived *derived, const struct core_derive_source *source)
{
	const struct store_body *html = store_email_body(source->email, PART_HTML);
	GBytes *text = g_bytes_get_size(html->data) <= KEPT_SIZE ? find(derived, html) : NULL;

	return text ? fill(text, most_of(g_bytes_get_size(source->filled)), source->lookup,
			  source->context)
		    : NULL;
}

static struct found *
read_html(const struct core_derive_source *source, bool wants_text, bool wants_links)
{
	struct found *found = g_new0(struct found, 1);
	const char *text = g_bytes_get_data(source->filled, &found->html_size);
	AUTO(mail_html) html = mail_html_parse(text, found->html_size);

	found->email = source->email->id;
	found->url = g_strdup(source->unsubscribe_url);
	if (wants_text) {
		char *derived = mail_textpart_of(html);
		found->text = g_bytes_new_take(derived, strlen(derived));
	}
	if (wants_links)
		found->links = mail_links_find(html);
	return found;
}

/* With a URL of another length nothing would stand where it stood. */
static bool
is_same(const struct found *found, const struct core_derive_source *source)
{
	const char *url = source->unsubscribe_url;

	return base_id_equal(&found->email, &source->email->id) &&
	       found->html_size == g_bytes_get_size(source->filled) && !found->url == !url &&
	       (!url || strlen(found->url) == strlen(url));
}

static struct found *
recall(struct core_derived *derived, const struct core_derive_source *source, bool wants_text,
    bool wants_links)
{
	for (GList *link = derived->emails.head; link; link = link->next) {
		struct found *found = link->data;

		if (!is_same(found, source) || (wants_text && !found->text) ||
		    (wants_links && !found->links))
			continue;
		g_queue_unlink(&derived->emails, link);
		g_queue_push_head_link(&derived->emails, link);
		return found;
	}
	return NULL;
}

/* The text, and as many bytes of links as the html can have. */
static gsize
size_of(const struct found *found)
{
	return (found->text ? g_bytes_get_size(found->text) : 0) +
	       (found->links
		       ? found->html_size + found->links->links->len * sizeof(struct mail_link)
		       : 0);
}

static void
keep(struct core_derived *derived, struct found *found)
{
	g_queue_push_head(&derived->emails, found);
	derived->bytes += size_of(found);
	while (derived->emails.length > KEPT || derived->bytes > LIMIT_DERIVED_KEPT_BYTES) {
		struct found *last = g_queue_pop_tail(&derived->emails);
		derived->bytes -= size_of(last);
		found_free(last);
	}
}

/* The text with this copy's URL. Nobody else can have written the other, which is authenticated. */
static GBytes *
text_with(const struct found *found, const char *url)
{
	gsize size;
	const char *at = g_bytes_get_data(found->text, &size), *end = at + size, *other;
	g_autoptr(GString) text = NULL;

	while (url && (other = memmem(at, end - at, found->url, strlen(found->url)))) {
		if (strcmp(found->url, url) == 0)
			break;
		if (!text)
			text = g_string_sized_new(size);
		g_string_append_len(text, at, other - at);
		g_string_append(text, url);
		at = other + strlen(found->url);
	}
	if (!text)
		return g_bytes_ref(found->text);
	g_string_append_len(text, at, end - at);
	return g_string_free_to_bytes(g_steal_pointer(&text));
}

void
core_derive(struct core_derived *derived, const struct core_derive_source *source, GBytes **text_r,
    struct mail_links **links_r)
{
	if (!text_r && !links_r)
		return;
	if (derived && !links_r && (*text_r = text_of_source(derived, source)))
		return;
	struct found *found = derived ? recall(derived, source, text_r, links_r) : NULL;
	bool known = found;
	if (!known)
		found = read_html(source, text_r, links_r);
	if (text_r)
		*text_r = text_with(found, source->unsubscribe_url);
	if (links_r)
		*links_r = mail_links_ref(found->links);
	if (known)
		return;
	if (derived && source->email->tracking && source->email->recipients->len > 1)
		keep(derived, found);
	else
		found_free(found);
}
