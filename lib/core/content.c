/* What an email says: its stored parts with its variables filled in. */
#include "core/content.h"

#include <string.h>

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

void
core_content_clear(struct content *content)
{
	g_clear_pointer(&content->html, g_bytes_unref);
	g_clear_pointer(&content->text, g_bytes_unref);
}
