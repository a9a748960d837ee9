/* SPDX-License-Identifier: MIT */
/* Suppressions: addresses that get no more mail (/v1/suppressions). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/common/search.h"

struct input {
	const char *email, *reason, *scope;
};

static const struct json_field fields[] = {FIELDS_NEW_SUPPRESSION(struct input)};

const struct json_table fcgi_suppressions_body = JSON_TABLE(fields);

bool
fcgi_suppressions_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	enum store_suppression_reason reason;
	enum store_suppression_scope scope;

	if (!json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error) ||
	    !person_suppress_words(input.reason, input.scope, &reason, &scope, error))
		return false;
	const struct store_consent_act act = fcgi_call_act(call);
	AUTO(store_suppression) suppression = person_suppress_add(
	    call->service, &call->key.workspace_id, input.email, reason, scope, &act, error);
	return fcgi_page_reply_view(call, &person_suppress_view, suppression);
}

bool
fcgi_suppressions_get(struct fcgi_call *call, GError **error)
{
	AUTO(store_suppression) suppression =
	    person_suppress_get(call->service, &call->key.workspace_id, call->arguments[0], error);

	return fcgi_page_reply_view(call, &person_suppress_view, suppression);
}

bool
fcgi_suppressions_delete(struct fcgi_call *call, GError **error)
{
	const struct store_consent_override *given;
	struct store_consent_override override;
	const struct store_consent_act act = fcgi_call_act(call);

	if (!fcgi_call_override_query(call, &override, &given, error) ||
	    !person_suppress_remove(
		call->service, &call->key.workspace_id, call->arguments[0], &act, given, error))
		return false;
	fcgi_reply_message(call->reply, "Suppression deleted");
	return true;
}

static GPtrArray *
suppressions_search(struct fcgi_call *call, const struct store_search *sought,
    const struct base_id *before, struct store_search_page *page, GError **error)
{
	const struct store_search_list list = {
	    &call->key.workspace_id, sought, before, LIMIT_PAGE + 1};

	return store_search_suppressions(call->service->db, &list, page, error)
		   ? store_suppression_of(call->service->db, &call->key.workspace_id,
			 (const struct base_id *)(void *)page->ids->data, page->ids->len, error)
		   : NULL;
}

bool
fcgi_suppressions_list(struct fcgi_call *call, GError **error)
{
	struct store_search_page found = {.ids = NULL};
	g_autoptr(GPtrArray) suppressions = NULL;
	struct store_search sought;
	struct base_id before;
	bool given, is_search;

	if (!fcgi_page_cursor(call, true, &before, &given, error) ||
	    !fcgi_page_search(call, &sought, &is_search, error))
		return false;
	const struct base_id *from = given ? &before : NULL;
	suppressions = is_search ? suppressions_search(call, &sought, from, &found, error)
				 : store_suppression_list(call->service->db,
				       &call->key.workspace_id, from, LIMIT_PAGE + 1, error);
	store_search_clear(&sought);
	store_search_page_clear(&found);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"suppressions", suppressions, LIMIT_PAGE, true,
		offsetof(struct store_suppression, id), .view = &person_suppress_view,
		.rest = found.has_rest ? &found.rest : NULL},
	    error);
}
