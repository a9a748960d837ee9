/* SPDX-License-Identifier: MIT */
/* Fills stored templates of /v1 with variables. */
#include "content/template_render.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/template.h"
#include "content/defaults.h"
#include "content/template_link.h"
#include "content/variables.h"
#include "json/value.h"
#include "store/template/template.h"
#include "template/template.h"
#include "template/value.h"

void
content_template_rendered_free(struct content_template_rendered *rendered)
{
	g_free(rendered->subject);
	g_free(rendered->html);
	g_free(rendered->text);
	g_free(rendered);
}

struct store_template *
content_template_read(struct db *db, const struct base_id *workspace, const char *id,
    const char *preview, GError **error)
{
	g_autoptr(GError) local = NULL;
	AUTO(store_template) template = store_template_get(db, workspace, id, error);
	gsize size;

	if (!template)
		return NULL;
	if (preview) {
		g_free(template->preview);
		template->preview = g_strdup(preview);
	}
	const char *html = g_bytes_get_data(template->html, &size);
	if (template_check(html, size, NULL) && content_template_link(db, template, &local))
		return g_steal_pointer(&template);
	if (!local || g_error_matches(local, PH_ERROR, PH_ERROR_INVALID))
		base_invalid(error, "Template has no valid HTML");
	else
		g_propagate_error(error, g_steal_pointer(&local));
	return NULL;
}

char *
content_template_render_subject(
    const char *source, const struct content_variables *variables, GError **error)
{
	struct content_variables_values own = {variables, NULL};
	const struct template_values values = content_variables_values(&own);
	gsize size;
	g_autofree char *subject = template_render(
	    &(struct template_source){source, strlen(source), TEMPLATE_HEADER, "subject"}, &values,
	    &size, error);

	if (!subject)
		return NULL;
	if (size <= LIMIT_RENDERED_SUBJECT_BYTES)
		return g_strdelimit(g_steal_pointer(&subject), "\t", ' ');
	base_invalid(error, "subject must be at most %d bytes with its variables filled in",
	    LIMIT_RENDERED_SUBJECT_BYTES);
	return NULL;
}

char *
content_template_render_part(const char *part, GBytes *source, enum template_kind kind,
    const struct content_variables *variables, GError **error)
{
	struct content_variables_values own = {variables, NULL};
	const struct template_values values = content_variables_values(&own);
	gsize size = 0;
	const char *text = g_bytes_get_data(source, &size);

	return template_render(
	    &(struct template_source){text ? text : "", size, kind, part}, &values, NULL, error);
}

static bool
template_render_add_defaults(struct db *db, const struct store_template *template,
    struct content_variables *variables, struct json **defaults, GError **error)
{
	const struct content_defaults_search search = {
	    db, &template->workspace_id, variables, defaults};
	g_autoptr(GBytes) subject =
	    template->subject ? g_bytes_new(template->subject, strlen(template->subject)) : NULL;

	return content_defaults_add(&search, subject, error) &&
	       content_defaults_add(&search, template->html, error) &&
	       content_defaults_add(&search, template->text, error);
}

struct content_template_rendered *
content_template_render(
    struct db *db, const struct store_template *template, const struct json *given, GError **error)
{
	AUTO(content_template_rendered) rendered = g_new0(struct content_template_rendered, 1);
	AUTO(content_variables) variables = content_variables_parse(template->variables, error);
	AUTO(json) defaults = NULL;

	if (!variables || !content_variables_add(variables, given, error) ||
	    !template_render_add_defaults(db, template, variables, &defaults, error))
		return NULL;
	if (template->subject && !(rendered->subject = content_template_render_subject(
				       template->subject, variables, error)))
		return NULL;
	rendered->html =
	    content_template_render_part("html", template->html, TEMPLATE_HTML, variables, error);
	if (rendered->html && template->text)
		rendered->text = content_template_render_part(
		    "text", template->text, TEMPLATE_TEXT, variables, error);
	return rendered->html && (rendered->text || !template->text) ? g_steal_pointer(&rendered)
								     : NULL;
}
