/* SPDX-License-Identifier: MIT */
/* Suppressions: addresses that get no more mail (/v1/suppressions). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>

#include "api/fields.h"
#include "base/error.h"
#include "base/limits/list.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
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
	AUTO(store_suppression) suppression =
	    person_suppress_add(call->service, &call->key.workspace_id, input.email,
		&(struct store_suppression_state){reason, scope}, &act, error);
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

/* Which entries a list has. */
struct suppressions_list {
	struct store_suppression_state kind; /* 0: any */
	const struct store_search *search;   /* NULL: none */
	const struct base_id *before;
};

/* Takes out the entries that are of another kind. */
static void
suppressions_narrow(GPtrArray *entries, const struct store_suppression_state *kind)
{
	for (guint i = entries->len; i > 0; i--) {
		const struct store_suppression *one = entries->pdata[i - 1];

		if ((kind->reason && one->reason != kind->reason) ||
		    (kind->scope && one->scope != kind->scope))
			g_ptr_array_remove_index(entries, i - 1);
	}
}

static GPtrArray *
suppressions_search(struct fcgi_call *call, const struct suppressions_list *list,
    struct store_search_page *page, GError **error)
{
	const struct store_search_list search = {
	    &call->key.workspace_id, list->search, list->before, LIMIT_PAGE + 1};

	if (!store_search_suppressions(call->service->db, &search, page, error))
		return NULL;
	fcgi_page_cut(page);
	GPtrArray *entries = store_suppression_of(call->service->db, &call->key.workspace_id,
	    (const struct base_id *)(void *)page->ids->data, page->ids->len, error);
	if (entries)
		suppressions_narrow(entries, &list->kind);
	return entries;
}

static GPtrArray *
suppressions_read(struct fcgi_call *call, const struct suppressions_list *list,
    struct store_search_page *page, GError **error)
{
	struct db *db = call->service->db;
	const struct base_id *workspace = &call->key.workspace_id;

	if (list->search)
		return suppressions_search(call, list, page, error);
	return list->kind.reason || list->kind.scope
		   ? store_suppression_list_of(
			 db, workspace, &list->kind, list->before, LIMIT_PAGE + 1, error)
		   : store_suppression_list(db, workspace, list->before, LIMIT_PAGE + 1, error);
}

static bool
suppressions_read_kind(
    struct fcgi_call *call, struct store_suppression_state *kind_r, GError **error)
{
	guint reason, scope;

	if (!fcgi_page_word(call, "reason", store_suppression_reasons, &reason, error) ||
	    !fcgi_page_word(call, "scope", store_suppression_scopes, &scope, error))
		return false;
	kind_r->reason = (enum store_suppression_reason)reason;
	kind_r->scope = (enum store_suppression_scope)scope;
	return true;
}

/* Lists entries in the order of their addresses. */
static bool
suppressions_list_sorted(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autofree char *after = NULL;

	if (!fcgi_page_address(call, &after, error))
		return false;
	g_autoptr(GPtrArray) entries = store_suppression_by_address(
	    call->service->db, &call->key.workspace_id, after ? after : "", LIMIT_PAGE + 1, error);
	if (!entries)
		return false;
	guint count = MIN(entries->len, LIMIT_PAGE);
	fcgi_page_begin(writer, "suppressions");
	for (guint i = 0; i < count; i++)
		json_view_write(writer, &person_suppress_view, entries->pdata[i], NULL);
	const struct store_suppression *last =
	    entries->len > count ? entries->pdata[count - 1] : NULL;
	fcgi_page_end_text(call, writer, count, last ? last->address : NULL);
	return true;
}

static bool
suppressions_list_newest(struct fcgi_call *call, struct suppressions_list *list, GError **error)
{
	struct store_search_page found = {.ids = NULL};
	struct base_id before;
	bool given;

	if (!fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	list->before = given ? &before : NULL;
	g_autoptr(GPtrArray) suppressions = suppressions_read(call, list, &found, error);
	store_search_page_clear(&found);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"suppressions", suppressions, LIMIT_PAGE, true,
		offsetof(struct store_suppression, id), .view = &person_suppress_view,
		.rest = found.has_rest ? &found.rest : NULL},
	    error);
}

bool
fcgi_suppressions_list(struct fcgi_call *call, GError **error)
{
	static const char *const orders[] = {"created", "email", NULL};
	struct suppressions_list list = {.before = NULL};
	struct store_search sought;
	bool is_search;
	guint order;

	if (!suppressions_read_kind(call, &list.kind, error) ||
	    !fcgi_page_word(call, "sort", orders, &order, error) ||
	    !fcgi_page_search(call, &sought, &is_search, error))
		return false;
	list.search = is_search ? &sought : NULL;
	bool done;
	if (order != 2)
		done = suppressions_list_newest(call, &list, error);
	else if (is_search || list.kind.reason || list.kind.scope)
		done =
		    base_invalid(error, "sort by email does not go with search, reason or scope");
	else
		done = suppressions_list_sorted(call, error);
	store_search_clear(&sought);
	return done;
}
