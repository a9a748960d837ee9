/* SPDX-License-Identifier: MIT */
/* posthouse form: adds, lists, shows and removes forms by which people join an audience. */
#include "store/consent/form.h"

#include "audience/audience.h"
#include "base/limits/person.h"
#include "cli/audience.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "consent/form.h"
#include "store/workspace/workspace.h"

enum { ADD_NAME, ADD_AUDIENCE };
static const struct cli_parameter add_parameters[] = {
    [ADD_NAME] = {"NAME", "as people see it", .max = LIMIT_NAME_LENGTH},
    [ADD_AUDIENCE] = {"AUDIENCE", AUDIENCE_HELP, .max = LIMIT_NAME_LENGTH},
};

static bool
form_add(struct cli_call *call, GError **error)
{
	AUTO(store_form) form = g_new0(struct store_form, 1);
	char id[ID_TEXT_SIZE];

	form->workspace_id = call->workspace->id;
	form->name = g_strdup(call->values[ADD_NAME].text);
	form->topics = g_strdup("[]");
	form->fields = g_strdup("[]");
	form->redirect_url = g_strdup("");
	form->origins = g_strdup("null");
	form->double_opt_in = true;
	form->per_network = LIMIT_FORM_PER_NETWORK;
	if (!audience_find(call->db, &call->workspace->id, call->values[ADD_AUDIENCE].text,
		&form->audience_id, error) ||
	    !store_form_create(call->db, form, error))
		return false;
	cli_output_say_view(call->output,
	    &(struct cli_thing){&consent_form_view, form, call->service}, "Form added: %s",
	    base_id_format(&form->id, id));
	return true;
}

#define PAGE 100

/* Writes a page of rows; *before is the last one's id. False with *more_r false at the end. */
static bool
form_write_page(struct cli_call *call, struct base_id *before, bool *more, GError **error)
{
	g_autoptr(GPtrArray) forms =
	    store_form_list(call->db, &call->workspace->id, *more ? before : NULL, PAGE, error);

	if (!forms)
		return false;
	for (guint i = 0; i < forms->len; i++) {
		const struct store_form *form = forms->pdata[i];

		cli_output_row_view(
		    call->output, &(struct cli_thing){&consent_form_view, form, call->service});
		*before = form->id;
	}
	*more = forms->len == PAGE;
	return true;
}

static bool
form_list(struct cli_call *call, GError **error)
{
	struct base_id before;
	bool more = false;

	cli_output_list_begin(call->output, "forms", "There are no forms yet.");
	do {
		if (!form_write_page(call, &before, &more, error))
			return false;
	} while (more);
	cli_output_list_end(call->output);
	return true;
}

enum { ID };
static const struct cli_parameter id_parameters[] = {
    [ID] = {"ID", "of the form", .max = LIMIT_NAME_LENGTH},
};

static bool
form_show(struct cli_call *call, GError **error)
{
	struct base_id id;

	if (!base_id_parse(call->values[ID].text, &id))
		return store_form_missing(error);
	AUTO(store_form) form = store_form_get(call->db, &call->workspace->id, &id, error);
	if (!form)
		return false;
	cli_output_thing_view(
	    call->output, &(struct cli_thing){&consent_form_view, form, call->service});
	return true;
}

static bool
remove_form(struct cli_call *call, GError **error)
{
	const char *text = call->values[ID].text;
	struct base_id id;

	if (!base_id_parse(text, &id))
		return store_form_missing(error);
	if (!store_form_remove(call->db, &call->workspace->id, &id, error))
		return false;
	cli_output_say(call->output, FIELDS(cli_id("id", &id), cli_text("message", "Form deleted")),
	    "Form removed: %s", text);
	return true;
}

static const struct cli_command commands[] = {
    {"add", "Add a form by which people join an audience.", NEED_WORKSPACE,
	PARAMETERS(add_parameters), .audit = "form.created", .run = form_add},
    {"list", "List the forms.", NEED_WORKSPACE, .run = form_list},
    {"show", "Show a form.", NEED_WORKSPACE, PARAMETERS(id_parameters), .run = form_show},
    {"remove", "Remove a form. Mails that were sent by it stay good.", NEED_WORKSPACE,
	PARAMETERS(id_parameters), .audit = "form.deleted", .run = remove_form},
};

const struct cli_noun cli_noun_form = {"form", commands, G_N_ELEMENTS(commands)};
