/* SPDX-License-Identifier: MIT */
/* Fills the variables into the stored html and text of an email. */
#include "content/content.h"

#include <string.h>

#include "base/limits/template.h"
#include "content/derive.h"
#include "content/variables.h"
#include "html/links.h"
#include "store/email/email.h"
#include "template/template.h"
#include "template/value.h"

#define UNSUBSCRIBE "unsubscribe_url"

/* The values that fill an email. */
struct values {
	struct content_variables *variables;
	struct content_variables_values own;
	struct template_values template;
	bool verbatim; /* there are no tags */
	struct template_measures measures;
};

/* The contents of an email without variables arrive as they were given. variables: those of the
   email, parsed. url: the value of {{unsubscribe_url}}; NULL: none. values_r must not move. */
static void
set_values(struct values *values_r, const struct store_email *email,
    struct content_variables *variables, const char *url)
{
	values_r->variables = variables;
	values_r->own = (struct content_variables_values){variables, email->variables ? url : NULL};
	values_r->template = content_variables_values(&values_r->own);
	values_r->verbatim = !email->variables;
	values_r->measures = (struct template_measures){.found = NULL};
}

static const char *
content_look_up(const char *name, void *context)
{
	struct values *values = context;
	const struct template_value value =
	    template_value_find(&values->template, name, &values->measures);

	return template_value_text(&value);
}

/* part: its name in errors. */
static GBytes *
content_fill(const char *part, GBytes *source, enum template_kind kind, const struct values *values,
    GError **error)
{
	gsize size, filled_size;
	const char *text = g_bytes_get_data(source, &size);

	if (values->verbatim || !template_has_tags(text, size))
		return g_bytes_ref(source);
	char *filled = template_render(&(struct template_source){text, size, kind, part},
	    &values->template, &filled_size, error);
	return filled ? g_bytes_new_take(filled, filled_size) : NULL;
}

static struct content_derive_source
content_source_of(const struct store_email *email, GBytes *filled, struct values *values)
{
	return (struct content_derive_source){
	    .email = email,
	    .filled = filled,
	    .unsubscribe_url = values->own.unsubscribe_url,
	    .lookup = values->verbatim ? NULL : content_look_up,
	    .context = values,
	};
}

/* Derives the text if the email has none, and the links if they are tracked. A broadcast's message
   is searched for its link to unsubscribe in the same text. */
static void
content_derive_values(struct content_derived *derived, const struct store_email *email,
    struct values *values, struct content *content)
{
	bool tracked = derived && (email->utm || email->tracking & (TRACK_OPENS | TRACK_CLICKS));
	const struct content_derive_source source = content_source_of(email, content->html, values);
	bool is_searched = derived && email->type == EMAIL_BROADCAST;
	GBytes **text_r = !store_email_body(email, PART_TEXT) ? &content->text
			  : is_searched			      ? &content->shown
							      : NULL;

	content_derive(derived, &source, text_r, tracked ? &content->links : NULL);
	if (is_searched && text_r == &content->text)
		content->shown = g_bytes_ref(content->text);
}

/* The contents of an email that only its recipients may read, for all others. */
static bool
hide(struct content *content_r)
{
	*content_r =
	    (struct content){.html = g_bytes_new_static("", 0), .text = g_bytes_new_static("", 0)};
	return true;
}

bool
content_read(const struct store_email *email, const char *unsubscribe_url,
    struct content_derived *derived, struct content *content_r, GError **error)
{
	if (!derived && email->tracking & TRACK_SECRET)
		return hide(content_r);
	AUTO(content_variables) variables = content_variables_parse(email->variables, error);
	struct values values;
	const struct store_body *html = store_email_body(email, PART_HTML);
	const struct store_body *text = store_email_body(email, PART_TEXT);
	struct content content = {NULL};

	if (!variables)
		return false;
	set_values(&values, email, variables, unsubscribe_url);
	if (html &&
	    !(content.html = content_fill("html", html->data, TEMPLATE_HTML, &values, error)))
		return false;
	if (text)
		content.text = content_fill("text", text->data, TEMPLATE_TEXT, &values, error);
	else if (!html)
		content.text = g_bytes_new_static("", 0);
	if (html)
		content_derive_values(derived, email, &values, &content);
	template_measures_clear(&values.measures);
	if (!content.text) {
		content_clear(&content);
		return false;
	}
	*content_r = content;
	return true;
}

/* A filter can make as much of a short value: the digits of 1e400. */
#define FILTERED 600
#define QUICK (64 * 1024) /* bytes of a source without blocks, which cannot take too long */

/* Whether filling source could fail. Blocks, includes and large sources can. Any other tag has at
   least five bytes, and each byte of its value becomes at most six (&quot;), so most sources need
   not be filled to know that they do not get too large. */
static bool
can_fail(GBytes *source, gsize longest_value)
{
	gsize size;
	const char *text = g_bytes_get_data(source, &size);
	guint64 most = size + (guint64)size / 5 * MAX(longest_value, FILTERED) * 6;

	return most > LIMIT_RENDERED_BYTES || (size > QUICK && memmem(text, size, "{{", 2)) ||
	       (size > 0 &&
		   (!*text || memmem(text, size, "{{#", 3) || memmem(text, size, "{{~", 3)));
}

static bool
content_check_part(const char *part, const struct store_body *source, enum template_kind kind,
    const struct values *values, GError **error)
{
	const char *url = values->own.unsubscribe_url;
	gsize longest = content_variables_longest(values->variables);

	if (!source || values->verbatim ||
	    !can_fail(source->data, MAX(longest, url ? strlen(url) : 0)))
		return true;
	g_autoptr(GBytes) filled = content_fill(part, source->data, kind, values, error);
	return filled;
}

bool
content_check(const struct store_email *email, const char *unsubscribe_url, GError **error)
{
	AUTO(content_variables) variables = content_variables_parse(email->variables, error);
	struct values values;

	if (!variables)
		return false;
	set_values(&values, email, variables, unsubscribe_url);
	return content_check_part(
		   "html", store_email_body(email, PART_HTML), TEMPLATE_HTML, &values, error) &&
	       content_check_part(
		   "text", store_email_body(email, PART_TEXT), TEMPLATE_TEXT, &values, error);
}

GBytes *
content_derive_text(
    const struct store_email *email, const char *unsubscribe_url, struct content_derived *derived)
{
	AUTO(content_variables) variables = content_variables_parse(email->variables, NULL);
	struct values values;
	const struct store_body *html = store_email_body(email, PART_HTML);

	if (!variables || !html || store_email_body(email, PART_TEXT) ||
	    (!unsubscribe_url && content_unsubscribes(email)))
		return NULL;
	set_values(&values, email, variables, unsubscribe_url);
	g_autoptr(GBytes) filled = content_fill("html", html->data, TEMPLATE_HTML, &values, NULL);
	if (!filled)
		return NULL;
	const struct content_derive_source source = content_source_of(email, filled, &values);
	GBytes *text = content_derive_stored(derived, &source);
	template_measures_clear(&values.measures);
	return text;
}

bool
content_unsubscribes(const struct store_email *email)
{
	static const enum store_email_part_role roles[] = {PART_HTML, PART_TEXT};
	AUTO(content_variables) variables = content_variables_parse(email->variables, NULL);

	if (!variables || !email->variables || content_variables_text(variables, UNSUBSCRIBE))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(roles); i++) {
		const struct store_body *content = store_email_body(email, roles[i]);
		gsize size = 0;
		const char *text = content ? g_bytes_get_data(content->data, &size) : NULL;

		if (text && template_refers(text, size, UNSUBSCRIBE))
			return true;
	}
	return false;
}

void
content_clear(struct content *content)
{
	g_clear_pointer(&content->html, g_bytes_unref);
	g_clear_pointer(&content->text, g_bytes_unref);
	g_clear_pointer(&content->shown, g_bytes_unref);
	g_clear_pointer(&content->links, html_links_free);
}
