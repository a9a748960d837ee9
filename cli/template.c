/* SPDX-License-Identifier: MIT */
/* posthouse template: stores, lists, shows, fills and removes templates. */
#include "store/template/template.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/person.h"
#include "base/limits/template.h"
#include "base/limits/unit.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "content/template.h"
#include "content/template_link.h"
#include "content/template_render.h"
#include "content/template_use.h"
#include "content/variables.h"
#include "json/strict.h"
#include "json/writer.h"
#include "store/template/use.h"
#include "store/workspace/workspace.h"

enum { PUT_ID, PUT_HTML, PUT_TEXT, PUT_SUBJECT, PUT_NAME, PUT_LAYOUT, PUT_PREVIEW, PUT_VARIABLES };
static const struct cli_parameter put_parameters[] = {
    [PUT_ID] = {"ID", "letters, digits, - and _", .max = LIMIT_TEMPLATE_ID_LENGTH},
    [PUT_HTML] = {"--html", "the html part", "FILE", PARAMETER_FILE, .required = true},
    [PUT_TEXT] = {"--text", "the text part; if not given, it is derived from the html", "FILE",
	PARAMETER_FILE},
    [PUT_SUBJECT] = {"--subject", "the subject of emails that have none of their own", "TEXT",
	.max = LIMIT_SUBJECT_LENGTH},
    [PUT_NAME] = {"--name", "the template's name; if not given, ID", "TEXT",
	.max = LIMIT_NAME_LENGTH},
    [PUT_LAYOUT] = {"--layout", "the template in whose html, at {{{body}}}, this one's html stands",
	"ID", .max = LIMIT_TEMPLATE_ID_LENGTH},
    [PUT_PREVIEW] = {"--preview-text",
	"the text that mail programs show beside the subject; \"\" for none; if not given, it "
	"stays",
	"TEXT", .min = -1, .max = LIMIT_PREVIEW_LENGTH},
    [PUT_VARIABLES] = {"--variables",
	"the default values of its variables: an object of strings and numbers", "JSON|FILE",
	PARAMETER_FILE},
};

#define VARIABLES_BYTES LIMIT_MIB

/* Reads --variables, a JSON object or a file with one; an empty object when it is not given. The
   caller owns it. */
static struct json *
template_read_variables(const char *given, GError **error)
{
	g_autoptr(GBytes) text = NULL;

	if (!given)
		given = "{}";
	if (given[strspn(given, " \t\r\n")] == '{')
		text = g_bytes_new(given, strlen(given));
	else
		text = cli_value_read_file(
		    &put_parameters[PUT_VARIABLES], given, VARIABLES_BYTES, error);
	if (!text)
		return NULL;
	gsize size;
	const char *bytes = g_bytes_get_data(text, &size);
	AUTO(json) variables = json_parse_as("--variables", bytes ? bytes : "", size, error);
	if (!variables)
		return NULL;
	if (json_member_count(variables) > LIMIT_VARIABLES) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "--variables must have at most %d properties", LIMIT_VARIABLES);
		return NULL;
	}
	return content_variables_check(variables, error) ? g_steal_pointer(&variables) : NULL;
}

static GBytes *
template_read_part(struct cli_call *call, guint parameter, gsize max, GError **error)
{
	return cli_value_read_file(
	    &put_parameters[parameter], call->values[parameter].text, max, error);
}

/* Sets the text for previews; where none is given, that of the template that is replaced. */
static bool
set_preview(struct cli_call *call, struct store_template *template, GError **error)
{
	const char *given = call->values[PUT_PREVIEW].text;
	g_autoptr(GError) failure = NULL;

	if (given) {
		template->preview = *given ? g_strdup(given) : NULL;
		return true;
	}
	AUTO(store_template)
	known = store_template_get(call->db, &template->workspace_id, template->id, &failure);
	if (known)
		template->preview = g_steal_pointer(&known->preview);
	else if (!g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		g_propagate_error(error, g_steal_pointer(&failure));
	return known || failure;
}

static bool
template_read_template(struct cli_call *call, struct store_template *template, GError **error)
{
	const struct cli_value *values = call->values;
	const char *id = values[PUT_ID].text, *name = values[PUT_NAME].text;

	AUTO(json) variables = template_read_variables(values[PUT_VARIABLES].text, error);
	if (!variables)
		return false;
	template->variables = json_print(variables);
	template->workspace_id = call->workspace->id;
	template->id = g_strdup(id);
	template->layout = g_strdup(values[PUT_LAYOUT].text);
	template->name = g_strdup(name ? name : id);
	template->subject = g_strdup(values[PUT_SUBJECT].text);
	return set_preview(call, template, error) &&
	       (template->html = template_read_part(call, PUT_HTML, LIMIT_HTML_BYTES, error)) &&
	       (!values[PUT_TEXT].text || (template->text = template_read_part(
					       call, PUT_TEXT, LIMIT_TEXT_BYTES, error))) &&
	       content_template_check(template, error) &&
	       content_template_link_check(call->db, template, error);
}

/* Replaces the template, or creates it. */
static bool
template_store(
    struct cli_call *call, struct store_template *template, bool *created_r, GError **error)
{
	g_autoptr(GError) failure = NULL;

	*created_r = false;
	if (store_template_replace(call->db, template, &failure))
		return true;
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	*created_r = true;
	return store_template_create(call->db, template, error);
}

#define FIELD(name) cli_member(name, &content_template_view, name, template)

static bool
template_put(struct cli_call *call, GError **error)
{
	AUTO(store_template) template = g_new0(struct store_template, 1);
	bool created;

	if (!template_read_template(call, template, error) ||
	    !template_store(call, template, &created, error))
		return false;
	call->audit = created ? "template.created" : NULL;
	cli_output_say(call->output,
	    FIELDS(FIELD("id"), FIELD("name"), FIELD("subject"), cli_truth("created", created)),
	    created ? "Template %s is created." : "Template %s is replaced.", template->id);
	return true;
}

static bool
template_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) templates =
	    store_template_list(call->db, &call->workspace->id, NULL, G_MAXINT32, error);

	if (!templates)
		return false;
	cli_output_list_begin(call->output, "templates", "There are no templates yet.");
	for (guint i = 0; i < templates->len; i++) {
		const struct store_template *template = templates->pdata[i];

		cli_output_row(call->output,
		    FIELDS(FIELD("id"), FIELD("name"), FIELD("updated"), FIELD("subject")));
	}
	cli_output_list_end(call->output);
	return true;
}

enum { SHOW_ID, SHOW_PART };
static const struct cli_parameter show_parameters[] = {
    [SHOW_ID] = {"ID", "of the template", .max = LIMIT_TEMPLATE_ID_LENGTH},
    [SHOW_PART] = {"--part", "write this part unchanged, and nothing else",
	.type = PARAMETER_CHOICE, .choices = {"html", "text"}},
};

static bool
show_part(struct cli_call *call, const char *part, GBytes *content, GError **error)
{
	if (content) {
		cli_output_text(call->output, part, content);
		return true;
	}
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND,
	    "the template has no %s part: emails derive it from the html", part);
	return false;
}

static bool
template_show(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	const char *part = values[SHOW_PART].text;
	AUTO(store_template) template =
	    store_template_get(call->db, &call->workspace->id, values[SHOW_ID].text, error);

	if (!template)
		return false;
	if (part)
		return show_part(call, part,
		    values[SHOW_PART].number == 0 ? template->html : template->text, error);
	cli_output_thing(
	    call->output, FIELDS(FIELD("id"), FIELD("name"), FIELD("subject"),
			      cli_text("preview_text", template->preview), FIELD("variables"),
			      cli_number("html_bytes", (gint64)g_bytes_get_size(template->html)),
			      cli_number("text_bytes",
				  template->text ? (gint64)g_bytes_get_size(template->text) : 0),
			      FIELD("created"), FIELD("updated")));
	return true;
}

enum { RENDER_ID, RENDER_VARIABLES };
static const struct cli_parameter render_parameters[] = {
    [RENDER_ID] = {"ID", "of the template", .max = LIMIT_TEMPLATE_ID_LENGTH},
    [RENDER_VARIABLES] = {"--variables", "the values of its variables", "JSON|FILE",
	PARAMETER_FILE},
};

static bool
cli_template_render(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	AUTO(json) variables = template_read_variables(values[RENDER_VARIABLES].text, error);
	AUTO(store_template) template = !variables
					    ? NULL
					    : content_template_read(call->db, &call->workspace->id,
						  values[RENDER_ID].text, NULL, error);
	AUTO(content_template_rendered) rendered =
	    template ? content_template_render(call->db, template, variables, error) : NULL;

	if (!rendered)
		return false;
	cli_output_thing(
	    call->output, FIELDS(cli_text("subject", rendered->subject),
			      cli_text("html", rendered->html), cli_text("text", rendered->text)));
	return true;
}

enum { REMOVE_ID };
static const struct cli_parameter remove_parameters[] = {
    [REMOVE_ID] = {"ID", "of the template", .max = LIMIT_TEMPLATE_ID_LENGTH},
};

/* Checks that nothing needs a template. CONFLICT names all that does. */
static bool
template_check_unused(struct cli_call *call, const char *id, GError **error)
{
	g_autoptr(GPtrArray) uses = NULL;
	g_autoptr(GError) failure = NULL;
	g_autoptr(GString) names = g_string_new(NULL);

	if (content_template_unused(call->db, &call->workspace->id, id, &uses, &failure))
		return true;
	for (guint i = 0; uses && i < uses->len; i++) {
		const struct store_template_use *use = uses->pdata[i];

		g_string_append_printf(
		    names, "%s%s %s (%s)", i ? ", " : ": ", use->type, use->id, use->name);
	}
	g_set_error(error, failure->domain, failure->code, "%s%s", failure->message, names->str);
	return false;
}

static bool
template_remove_one(struct cli_call *call, GError **error)
{
	const char *id = call->values[REMOVE_ID].text;

	if (!template_check_unused(call, id, error) ||
	    !store_template_remove(call->db, &call->workspace->id, id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_text("id", id), cli_truth("removed", true)),
	    "Template %s is removed.", id);
	return true;
}

static const struct cli_command commands[] = {
    {"put",
	"Create a template, or replace it as a whole, but for its --preview-text. {{name}} in its "
	"parts and subject stands for a variable.",
	NEED_WORKSPACE, PARAMETERS(put_parameters), .audit = "template.changed",
	.run = template_put},
    {"list", "List the templates.", NEED_WORKSPACE, .run = template_list},
    {"show", "Show a template, or write one of its parts.", NEED_WORKSPACE,
	PARAMETERS(show_parameters), .run = template_show},
    {"render", "Fill a template with variables, and show subject, html and text.", NEED_WORKSPACE,
	PARAMETERS(render_parameters), .run = cli_template_render},
    {"remove",
	"Remove a template that nothing needs. Emails that were sent with it stay as they are.",
	NEED_WORKSPACE, PARAMETERS(remove_parameters), .audit = "template.deleted",
	.run = template_remove_one},
};

const struct cli_noun cli_noun_template = {"template", commands, G_N_ELEMENTS(commands)};
