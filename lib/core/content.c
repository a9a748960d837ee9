/* What an email says: its stored parts with its variables filled in. */
#include "core/content.h"

#include <string.h>

#include "base/limits.h"
#include "core/variables.h"
#include "mail/template.h"
#include "mail/textpart.h"
#include "store/email.h"

static GBytes *
fill(GBytes *source, enum mail_template_kind kind, struct variables *variables, GError **error)
{
	gsize size, filled_size;
	const char *text = g_bytes_get_data(source, &size);

	if (!mail_template_has_references(text, size))
		return g_bytes_ref(source);
	char *filled = mail_template_render(
	    text, size, kind, core_variables_lookup, variables, &filled_size, error);
	return filled ? g_bytes_new_take(filled, filled_size) : NULL;
}

static GBytes *
derive(GBytes *html)
{
	gsize size;
	const char *source = g_bytes_get_data(html, &size);
	char *text = mail_textpart_from_html(source, size);

	return g_bytes_new_take(text, strlen(text));
}

bool
core_content_read(const struct email *email, struct content *content_r, GError **error)
{
	AUTO(variables) variables = core_variables_parse(email->variables, error);
	GBytes *html = store_email_content(email, PART_HTML);
	GBytes *text = store_email_content(email, PART_TEXT);
	struct content content = {NULL, NULL};

	if (!variables)
		return false;
	if (html && !(content.html = fill(html, MAIL_TEMPLATE_HTML, variables, error)))
		return false;
	if (text)
		content.text = fill(text, MAIL_TEMPLATE_TEXT, variables, error);
	else
		content.text = content.html ? derive(content.html) : g_bytes_new_static("", 0);
	if (!content.text) {
		core_content_clear(&content);
		return false;
	}
	*content_r = content;
	return true;
}

/* A reference takes at least five bytes, and each byte of its value becomes at most six (&quot;):
   most sources need not be filled in to know that they stay within the limit. */
static bool
can_be_too_large(GBytes *source, gsize longest_value)
{
	gsize size = g_bytes_get_size(source);

	return size + size / 5 * longest_value * 6 > LIMIT_RENDERED_BYTES;
}

static bool
check(const char *field, GBytes *source, enum mail_template_kind kind, struct variables *variables,
    GError **error)
{
	if (!source || !can_be_too_large(source, core_variables_longest(variables)))
		return true;
	g_autoptr(GBytes) filled = fill(source, kind, variables, error);
	if (!filled)
		g_prefix_error(error, "%s: ", field);
	return filled;
}

bool
core_content_check(const struct email *email, GError **error)
{
	AUTO(variables) variables = core_variables_parse(email->variables, error);

	return variables &&
	       check("html", store_email_content(email, PART_HTML), MAIL_TEMPLATE_HTML, variables,
		   error) &&
	       check("text", store_email_content(email, PART_TEXT), MAIL_TEMPLATE_TEXT, variables,
		   error);
}

void
core_content_clear(struct content *content)
{
	g_clear_pointer(&content->html, g_bytes_unref);
	g_clear_pointer(&content->text, g_bytes_unref);
}
