/* SPDX-License-Identifier: MIT */
/* Derives the text and the links of an email from its html. If the result is the same, they are
   derived before the variables are filled in, once for all emails with this html. Else they are
   derived once for all messages of an email. */
#include "content/derive.h"

#include <string.h>

#include "base/limits/template.h"
#include "content/unfilled.h"
#include "html/html.h"
#include "html/links.h"
#include "html/textpart.h"
#include "service/service.h"
#include "store/email/email.h"
#include "template/outline.h"

#define KEPT 16

/* The results for an email with several messages. */
struct derivation {
	struct base_id email;
	gsize html_size;
	char *url;		  /* the unsubscribe URL that stands in it; NULL: none */
	GBytes *text;		  /* NULL: not wanted */
	struct html_links *links; /* NULL: not wanted */
};

struct content_derived {
	struct content_unfilled *unfilled;
	GQueue emails; /* of struct derivation, the latest used first */
	gsize bytes;   /* size of all derivations */
};

static void
derivation_free(void *data)
{
	struct derivation *derivation = data;

	g_free(derivation->url);
	g_clear_pointer(&derivation->text, g_bytes_unref);
	g_clear_pointer(&derivation->links, html_links_free);
	g_free(derivation);
}

struct content_derived *
content_derived_new(void)
{
	struct content_derived *derived = g_new0(struct content_derived, 1);

	derived->unfilled = content_unfilled_new();
	g_queue_init(&derived->emails);
	return derived;
}

void
content_derived_free(struct content_derived *derived)
{
	content_unfilled_free(derived->unfilled);
	g_queue_clear_full(&derived->emails, derivation_free);
	g_free(derived);
}

static void *
make_derived(void)
{
	return content_derived_new();
}

struct content_derived *
content_derived_of(struct service *service)
{
	return service_cache(service, SERVICE_CACHE_DERIVED, make_derived, content_derived_destroy);
}

static GBytes *
derive_take_text(char *text)
{
	return g_bytes_new_take(text, strlen(text));
}

/* Derives by way of the unfilled html. False when the filled html could have another text. */
static bool
derive_unfilled(struct content_derived *derived, const struct content_derive_source *source,
    GBytes **text_r, struct html_links **links_r)
{
	const struct template_outline *outline =
	    content_unfilled_find(derived->unfilled, store_email_body(source->email, PART_HTML));
	gsize size;
	const char *filled = g_bytes_get_data(source->filled, &size);
	char *text;

	if (!outline || !template_outline_fill(outline, filled, size, source->lookup,
			    source->context, text_r ? &text : NULL, links_r))
		return false;
	if (text_r)
		*text_r = derive_take_text(text);
	return true;
}

static void
derive_read_links(struct derivation *derivation, const char *source, bool wants_text)
{
	AUTO(html) html = html_parse(source, derivation->html_size);

	derivation->links = html_links_find(html);
	if (wants_text)
		derivation->text = derive_take_text(html_textpart_of(html));
}

static struct derivation *
derive_read_html(const struct content_derive_source *source, bool wants_text, bool wants_links)
{
	struct derivation *derivation = g_new0(struct derivation, 1);
	const char *html = g_bytes_get_data(source->filled, &derivation->html_size);

	derivation->email = source->email->id;
	derivation->url = g_strdup(source->unsubscribe_url);
	if (wants_links)
		derive_read_links(derivation, html, wants_text);
	else if (wants_text)
		derivation->text =
		    derive_take_text(html_textpart_from_html(html, derivation->html_size));
	return derivation;
}

/* Whether a derivation is of this email's html. With a URL of another length the positions of the
   links would differ. */
static bool
derive_is_same(const struct derivation *derivation, const struct content_derive_source *source)
{
	const char *url = source->unsubscribe_url;

	return base_id_equal(&derivation->email, &source->email->id) &&
	       derivation->html_size == g_bytes_get_size(source->filled) &&
	       !derivation->url == !url && (!url || strlen(derivation->url) == strlen(url));
}

static struct derivation *
derive_recall(struct content_derived *derived, const struct content_derive_source *source,
    bool wants_text, bool wants_links)
{
	for (GList *link = derived->emails.head; link; link = link->next) {
		struct derivation *derivation = link->data;

		if (!derive_is_same(derivation, source) || (wants_text && !derivation->text) ||
		    (wants_links && !derivation->links))
			continue;
		g_queue_unlink(&derived->emails, link);
		g_queue_push_head_link(&derived->emails, link);
		return derivation;
	}
	return NULL;
}

/* The size of the text, and the largest size that the links of this html can have. */
static gsize
derive_size_of(const struct derivation *derivation)
{
	return (derivation->text ? g_bytes_get_size(derivation->text) : 0) +
	       (derivation->links ? derivation->html_size +
					derivation->links->links->len * sizeof(struct html_link)
				  : 0);
}

static void
derive_keep(struct content_derived *derived, struct derivation *derivation)
{
	g_queue_push_head(&derived->emails, derivation);
	derived->bytes += derive_size_of(derivation);
	while (derived->emails.length > KEPT || derived->bytes > LIMIT_DERIVED_KEPT_BYTES) {
		struct derivation *last = g_queue_pop_tail(&derived->emails);
		derived->bytes -= derive_size_of(last);
		derivation_free(last);
	}
}

/* The text with this message's URL, or a reference to it, in place of the other message's. The
   other URL is authenticated, so the sender cannot have written it into the html. */
static GBytes *
text_with(const struct derivation *derivation, const char *url)
{
	gsize size;
	const char *at = g_bytes_get_data(derivation->text, &size), *end = at + size, *other;
	g_autoptr(GString) text = NULL;

	while (url && (other = memmem(at, end - at, derivation->url, strlen(derivation->url)))) {
		if (strcmp(derivation->url, url) == 0)
			break;
		if (!text)
			text = g_string_sized_new(size);
		g_string_append_len(text, at, other - at);
		g_string_append(text, url);
		at = other + strlen(derivation->url);
	}
	if (!text)
		return g_bytes_ref(derivation->text);
	g_string_append_len(text, at, end - at);
	return g_string_free_to_bytes(g_steal_pointer(&text));
}

/* The text of the filled html, with references where the URL stood. NULL when it has braces of its
   own, which would then be filled too, or when it was cut off, maybe inside the URL. */
static GBytes *
text_of_filled(const struct content_derive_source *source)
{
	struct derivation *derivation = derive_read_html(source, true, false);
	gsize size;
	const char *text = g_bytes_get_data(derivation->text, &size);
	bool fits = size + 4 <= html_textpart_most(derivation->html_size) &&
		    (!source->lookup || !memmem(text, size, "{{", 2));
	GBytes *stored =
	    fits ? text_with(derivation, derivation->url ? "{{unsubscribe_url}}" : NULL) : NULL;

	derivation_free(derivation);
	return stored;
}

/* Html without references is likely to be this email's own, and not to come again; then its text is
   read with less work than an outline takes. */
static const struct template_outline *
find_outline(struct content_derived *derived, const struct store_body *html)
{
	gsize size;
	const char *source = g_bytes_get_data(html->data, &size);

	return template_has_tags(source, size)
		   ? content_unfilled_find(derived->unfilled, html)
		   : content_unfilled_find_again(derived->unfilled, html);
}

GBytes *
content_derive_stored(struct content_derived *derived, const struct content_derive_source *source)
{
	const struct store_body *html = store_email_body(source->email, PART_HTML);

	if (g_bytes_get_size(html->data) > UNFILLED_SIZE ||
	    g_bytes_get_size(source->filled) > UNFILLED_SIZE)
		return NULL;
	const struct template_outline *outline =
	    source->lookup ? find_outline(derived, html) : NULL;
	const char *text = outline ? template_outline_text(outline) : NULL;
	g_autoptr(GBytes) filled = NULL;
	return text && derive_unfilled(derived, source, &filled, NULL)
		   ? g_bytes_new_take(g_strdup(text), strlen(text))
		   : text_of_filled(source);
}

void
content_derive(struct content_derived *derived, const struct content_derive_source *source,
    GBytes **text_r, struct html_links **links_r)
{
	if (!text_r && !links_r)
		return;
	if (derived && source->lookup && derive_unfilled(derived, source, text_r, links_r))
		return;
	bool shared = derived && source->email->type != EMAIL_BROADCAST;
	struct derivation *derivation =
	    shared ? derive_recall(derived, source, text_r, links_r) : NULL;
	bool known = derivation;
	if (!known)
		derivation = derive_read_html(source, text_r, links_r);
	if (text_r)
		*text_r = text_with(derivation, source->unsubscribe_url);
	if (links_r)
		*links_r = html_links_ref(derivation->links);
	if (known)
		return;
	if (shared && source->email->tracking && source->email->recipients->len > 1)
		derive_keep(derived, derivation);
	else
		derivation_free(derivation);
}
