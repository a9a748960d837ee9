/* SPDX-License-Identifier: MIT */
/* Mail that came in: list, read, forward and remove it (/v1/received). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/list.h"
#include "base/limits/received.h"
#include "config/settings.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/value.h"
#include "json/writer.h"
#include "link/token_cut.h"
#include "received/forward.h"
#include "received/view.h"
#include "service/service.h"
#include "store/received/received.h"

static bool
received_read_id(const struct fcgi_call *call, struct base_id *id_r, GError **error)
{
	return base_id_parse(call->arguments[0], id_r) ||
	       base_fail(error, PH_ERROR_NOT_FOUND, "Received email not found");
}

static void
received_write_row(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_received *received = row;

	json_writer_raw(writer, NULL, received->summary, strlen(received->summary));
}

/* The parameters of the list, as they were given; NULL also where they are empty. */
struct received_query {
	const char *to, *from, *domain, *email, *automatic;
};

static bool
received_read_query(struct fcgi_call *call, struct received_query *query_r, GError **error)
{
	return fcgi_page_text(call, "to", &query_r->to, error) &&
	       fcgi_page_text(call, "from", &query_r->from, error) &&
	       fcgi_page_text(call, "domain_id", &query_r->domain, error) &&
	       fcgi_page_text(call, "email_id", &query_r->email, error) &&
	       fcgi_page_text(call, "automatic", &query_r->automatic, error);
}

/* A filter with what it borrows. */
struct received_search {
	struct store_received_filter filter;
	char *to, *from;
	struct base_id domain, email;
	bool automatic;
	gint64 since, until;
	bool is_empty; /* nothing can match */
};

static bool
received_search_address(const char *name, const char *given, char **key_r, GError **error)
{
	g_autofree char *address = given ? fcgi_page_plus(given) : NULL;

	*key_r = address ? received_view_key(address) : NULL;
	return !given || *key_r || base_invalid(error, "%s must be an email address", name);
}

/* An id that is none is simply unknown. */
static const struct base_id *
received_search_id(struct received_search *search, const char *given, struct base_id *id)
{
	if (!given)
		return NULL;
	if (!base_id_parse(given, id))
		search->is_empty = true;
	return id;
}

static bool
received_search_set(
    struct received_search *search, const struct received_query *query, GError **error)
{
	struct store_received_filter *filter = &search->filter;

	if (query->automatic && strcmp(query->automatic, "true") != 0 &&
	    strcmp(query->automatic, "false") != 0)
		return base_invalid(error, "automatic must be true or false");
	if (!received_search_address("to", query->to, &search->to, error) ||
	    !received_search_address("from", query->from, &search->from, error))
		return false;
	search->automatic = g_strcmp0(query->automatic, "true") == 0;
	filter->to = search->to;
	filter->from = search->from;
	filter->domain = received_search_id(search, query->domain, &search->domain);
	filter->email = received_search_id(search, query->email, &search->email);
	filter->automatic = query->automatic ? &search->automatic : NULL;
	return true;
}

static bool
received_list(struct fcgi_call *call, struct received_search *search, GError **error)
{
	struct received_query query = {NULL};
	struct base_id before;
	bool given;

	if (!received_read_query(call, &query, error) ||
	    !received_search_set(search, &query, error) ||
	    !fcgi_page_time(call, "since", &search->since, &search->filter.since, error) ||
	    !fcgi_page_time(call, "until", &search->until, &search->filter.until, error) ||
	    !fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	search->filter.before = given ? &before : NULL;
	g_autoptr(GPtrArray) list = store_received_list(call->service->db, &call->key.workspace_id,
	    &search->filter, search->is_empty ? 0 : LIMIT_PAGE + 1, error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"received", list, LIMIT_PAGE, true,
		offsetof(struct store_received, id), .write = received_write_row},
	    error);
}

bool
fcgi_received_list(struct fcgi_call *call, GError **error)
{
	struct received_search search = {.is_empty = false};
	bool done = received_list(call, &search, error);

	g_free(search.to);
	g_free(search.from);
	return done;
}

bool
fcgi_received_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id id;

	if (!received_read_id(call, &id, error))
		return false;
	AUTO(store_received)
	received = store_received_get(call->service->db, &call->key.workspace_id, &id, error);
	if (!received || !received_view_write(writer, call->service, received, error))
		return false;
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_received_raw(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!received_read_id(call, &id, error))
		return false;
	GBytes *raw = store_received_raw(call->service->db, &call->key.workspace_id, &id, error);
	if (!raw)
		return false;
	gsize size;
	const char *bytes = g_bytes_get_data(raw, &size);
	GString *cut = link_token_cut_message(
	    config_settings_secret(call->service->settings), bytes ? bytes : "", size);
	if (cut) {
		g_bytes_unref(raw);
		raw = g_string_free_to_bytes(cut);
	}
	fcgi_reply_document(call->reply, "message/rfc822", raw, "private, no-store");
	fcgi_reply_header(
	    call->reply, "Content-Disposition", "attachment; filename=\"message.eml\"");
	return true;
}

bool
fcgi_received_attachment(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id id;

	if (!received_read_id(call, &id, error))
		return false;
	AUTO(store_received)
	received = store_received_get(call->service->db, &call->key.workspace_id, &id, error);
	if (!received || !received_view_write_attachment(
			     writer, call->service, received, call->arguments[1], error))
		return false;
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

struct forward_input {
	const char **to;
	const char *from;
};

/* clang-format off */
static const struct json_field forward_fields[] = {
	JSON_FIELD("to", FIELD_STRINGS, struct forward_input, to, .required = true, .blank = true, .min = 1, .max = LIMIT_RECEIVED_FORWARDS),
	JSON_FIELD("from", FIELD_STRING, struct forward_input, from, .blank = true),
};
/* clang-format on */

const struct json_table fcgi_received_forward_body = JSON_TABLE(forward_fields);

static bool
received_send(struct fcgi_call *call, const struct base_id *id, const struct forward_input *input,
    GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct base_id email;

	const struct received_forward_wish wish = {input->from, (const char *const *)input->to};
	if (!received_forward(call->service, &call->key.workspace_id, id, &wish, &email, error))
		return false;
	fcgi_write_id(writer, &email);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_received_forward(struct fcgi_call *call, GError **error)
{
	struct forward_input input = {NULL};
	struct base_id id;

	if (!json_fields_read(
		call->json, forward_fields, G_N_ELEMENTS(forward_fields), &input, error))
		return false;
	bool done = received_read_id(call, &id, error) && received_send(call, &id, &input, error);
	json_fields_free(forward_fields, G_N_ELEMENTS(forward_fields), &input);
	return done;
}

bool
fcgi_received_delete(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!received_read_id(call, &id, error) ||
	    !store_received_remove(call->service->db, &call->key.workspace_id, &id, error))
		return false;
	fcgi_reply_message(call->reply, "Received email deleted");
	return true;
}
