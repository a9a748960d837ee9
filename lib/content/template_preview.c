/* SPDX-License-Identifier: MIT */
/* Fills a template that is not stored, part by part, and collects their problems. */
#include "content/template_preview.h"

#include "base/error.h"
#include "content/template.h"
#include "content/template_link.h"
#include "content/template_render.h"
#include "content/variables.h"
#include "store/template/template.h"
#include "template/out.h"

static void
free_problem(void *data)
{
	struct content_template_problem *problem = data;

	g_free(problem->message);
	g_free(problem);
}

void
content_template_preview_free(struct content_template_preview *preview)
{
	content_template_rendered_free(preview->rendered);
	g_ptr_array_unref(preview->problems);
	g_free(preview);
}

/* Makes a problem of a fault in a part. Any other failure stays one: then false with error. Takes
   the fault. */
static bool
add_problem(
    struct content_template_preview *preview, const char *part, GError *fault, GError **error)
{
	if (!g_error_matches(fault, PH_ERROR, PH_ERROR_INVALID) &&
	    !g_error_matches(fault, PH_ERROR, PH_ERROR_TOO_LARGE)) {
		g_propagate_error(error, fault);
		return false;
	}
	struct content_template_problem *problem = g_new0(struct content_template_problem, 1);
	problem->part = g_str_has_prefix(fault->message, "layout: ") ? "layout" : part;
	problem->message = g_strdup(fault->message);
	g_ptr_array_add(preview->problems, problem);
	g_error_free(fault);
	return true;
}

/* A template that has nothing but this part. The html that every template has is empty. */
static struct store_template *
alone(const struct store_template *template, bool is_html)
{
	struct store_template *part = g_new0(struct store_template, 1);

	part->id = g_strdup("");
	part->workspace_id = template->workspace_id;
	part->html = is_html ? g_bytes_ref(template->html) : g_bytes_new_static("", 0);
	part->text = is_html ? NULL : g_bytes_ref(template->text);
	part->layout = is_html ? g_strdup(template->layout) : NULL;
	part->preview = is_html && content_template_check_preview(template->preview, NULL)
			    ? g_strdup(template->preview)
			    : NULL;
	return part;
}

static char *
fill_part(struct db *db, const struct store_template *template, bool is_html,
    const struct content_variables *variables, GError **error)
{
	const char *name = is_html ? "html" : "text";
	AUTO(store_template) part = alone(template, is_html);

	if (!content_template_check_part(name, is_html ? part->html : part->text, error) ||
	    !content_template_link(db, part, error))
		return NULL;
	return content_template_render_part(name, is_html ? part->html : part->text,
	    is_html ? TEMPLATE_HTML : TEMPLATE_TEXT, variables, error);
}

static char *
fill_subject(const char *subject, const struct content_variables *variables, GError **error)
{
	return content_template_check_subject(subject, error)
		   ? content_template_render_subject(subject, variables, error)
		   : NULL;
}

/* Fills all parts. False with error when one could not be read. */
static bool
template_preview_fill(struct content_template_preview *preview, struct db *db,
    const struct store_template *template, const struct content_variables *variables,
    GError **error)
{
	struct content_template_rendered *rendered = preview->rendered;
	GError *fault = NULL;

	if (template->subject &&
	    !(rendered->subject = fill_subject(template->subject, variables, &fault)) &&
	    !add_problem(preview, "subject", g_steal_pointer(&fault), error))
		return false;
	if (!content_template_check_preview(template->preview, &fault) &&
	    !add_problem(preview, "preview_text", g_steal_pointer(&fault), error))
		return false;
	if (template->html &&
	    !(rendered->html = fill_part(db, template, true, variables, &fault)) &&
	    !add_problem(preview, "html", g_steal_pointer(&fault), error))
		return false;
	return !template->text ||
	       (rendered->text = fill_part(db, template, false, variables, &fault)) ||
	       add_problem(preview, "text", g_steal_pointer(&fault), error);
}

struct content_template_preview *
content_template_preview(
    struct db *db, const struct store_template *template, const struct json *given, GError **error)
{
	AUTO(content_template_preview) preview = g_new0(struct content_template_preview, 1);
	AUTO(content_variables) variables = content_variables_new();
	AUTO(content_variables) none = content_variables_new();
	GError *fault = NULL;

	preview->rendered = g_new0(struct content_template_rendered, 1);
	preview->problems = g_ptr_array_new_with_free_func(free_problem);
	bool is_right = content_variables_add(variables, given, &fault);
	if (!is_right && !add_problem(preview, "variables", fault, error))
		return NULL;
	return template_preview_fill(preview, db, template, is_right ? variables : none, error)
		   ? g_steal_pointer(&preview)
		   : NULL;
}
