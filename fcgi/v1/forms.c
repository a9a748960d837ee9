/* SPDX-License-Identifier: MIT */
/* Forms by which people join an audience (/v1/forms). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "base/limits/person.h"
#include "consent/form.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/value.h"
#include "service/service.h"
#include "store/consent/form.h"
#include "store/consent/opt_in.h"

struct input {
	const char *name, *audience_id, *redirect_url;
	const char **topics, **fields, **origins;
	const struct json *double_opt_in; /* NULL: null, or not given */
	gint64 per_network;
	bool redirect_url_given, origins_given;
};

static const struct json_field fields[] = {FIELDS_NEW_FORM(struct input)};
static const struct json_field change_fields[] = {FIELDS_FORM_CHANGE(struct input)};

const struct json_table fcgi_forms_body = JSON_TABLE(fields);
const struct json_table fcgi_forms_change = JSON_TABLE(change_fields);

static bool
forms_read_id(const struct fcgi_call *call, struct base_id *id_r, GError **error)
{
	return base_id_parse(call->arguments[0], id_r) || store_form_missing(error);
}

/* Sets the audience, which has to be there. */
static bool
set_audience(struct fcgi_call *call, struct store_form *form, const char *text, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (!text)
		return true;
	AUTO(store_opt_in)
	opt_in = base_id_parse(text, &form->audience_id)
		     ? store_opt_in_get(
			   call->service->db, &form->workspace_id, &form->audience_id, &failure)
		     : NULL;
	if (opt_in)
		return true;
	if (!failure || g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		return base_invalid(error, "Audience not found");
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

/* Replaces a text by one that was made. */
static bool
forms_take_text(char **slot, char *made)
{
	if (!made)
		return false;
	g_free(*slot);
	*slot = made;
	return true;
}

/* Lays the given members over a form, and checks them. */
static bool
forms_lay_over(
    struct fcgi_call *call, const struct input *input, struct store_form *form, GError **error)
{
	struct db *db = call->service->db;
	const struct base_id *workspace = &form->workspace_id;

	if (!set_audience(call, form, input->audience_id, error) ||
	    (input->topics &&
		!forms_take_text(&form->topics, consent_form_topics(db, workspace,
						    (const char *const *)input->topics, error))) ||
	    (input->fields &&
		!forms_take_text(&form->fields, consent_form_fields(db, workspace,
						    (const char *const *)input->fields, error))) ||
	    (input->origins &&
		!forms_take_text(&form->origins,
		    consent_form_origins((const char *const *)input->origins, error))) ||
	    !consent_form_check_redirect(input->redirect_url ? input->redirect_url : "", error))
		return false;
	if (input->name)
		forms_take_text(&form->name, g_strdup(input->name));
	if (input->redirect_url_given)
		forms_take_text(
		    &form->redirect_url, g_strdup(input->redirect_url ? input->redirect_url : ""));
	if (input->origins_given && !input->origins)
		forms_take_text(&form->origins, g_strdup("null"));
	if (input->double_opt_in)
		form->double_opt_in = json_boolean(input->double_opt_in);
	if (input->per_network)
		form->per_network = input->per_network;
	return true;
}

/* A form with the values of members that are not given. */
static struct store_form *
new_form(const struct fcgi_call *call)
{
	struct store_form *form = g_new0(struct store_form, 1);

	form->workspace_id = call->key.workspace_id;
	form->topics = g_strdup("[]");
	form->fields = g_strdup("[]");
	form->redirect_url = g_strdup("");
	form->origins = g_strdup("null");
	form->double_opt_in = true;
	form->per_network = LIMIT_FORM_PER_NETWORK;
	return form;
}

bool
fcgi_forms_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	AUTO(store_form) form = new_form(call);

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error))
		return false;
	bool done = (input.audience_id || base_invalid(error, "audience_id is required")) &&
		    forms_lay_over(call, &input, form, error) &&
		    store_form_create(call->service->db, form, error) &&
		    fcgi_page_reply_view(call, &consent_form_view, form);
	json_fields_free(fields, G_N_ELEMENTS(fields), &input);
	return done;
}

bool
fcgi_forms_list(struct fcgi_call *call, GError **error)
{
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) forms = store_form_list(call->service->db, &call->key.workspace_id,
	    given ? &before : NULL, LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"forms", forms, LIMIT_PAGE, true, offsetof(struct store_form, id),
		.view = &consent_form_view},
	    error);
}

/* The form of the path. The caller frees it. */
static struct store_form *
forms_find(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	return forms_read_id(call, &id, error)
		   ? store_form_get(call->service->db, &call->key.workspace_id, &id, error)
		   : NULL;
}

bool
fcgi_forms_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_form) form = forms_find(call, error);

	return fcgi_page_reply_view(call, &consent_form_view, form);
}

bool
fcgi_forms_patch(struct fcgi_call *call, GError **error)
{
	g_autoptr(GError) missing = NULL;
	struct input input = {0};

	if (!json_fields_read(
		call->json, change_fields, G_N_ELEMENTS(change_fields), &input, error))
		return false;
	AUTO(store_form) form = forms_find(call, &missing);
	/* Faults of fields come first, also where there is no form. */
	if (!form)
		form = new_form(call);
	bool good = forms_lay_over(call, &input, form, error);
	json_fields_free(change_fields, G_N_ELEMENTS(change_fields), &input);
	if (!good)
		return false;
	if (missing) {
		g_propagate_error(error, g_steal_pointer(&missing));
		return false;
	}
	return store_form_change(call->service->db, form, error) &&
	       fcgi_page_reply_view(call, &consent_form_view, form);
}

bool
fcgi_forms_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!forms_read_id(call, &id, error) ||
	    !store_form_remove(call->service->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Form deleted");
	return true;
}
