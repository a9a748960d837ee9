/* SPDX-License-Identifier: MIT */
/* Suppressions under /resend: addresses that get no mail at all, by id or email. */
#include "fcgi/resend/handlers.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/report.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "fcgi/resend/error.h"
#include "json/fields.h"
#include "json/writer.h"
#include "person/contact.h"
#include "person/suppress.h"
#include "service/service.h"

#define OBJECT "suppression"

struct input {
	const char *email;
};

static const struct json_field fields[] = {
    JSON_FIELD("email", FIELD_STRING, struct input, email, .required = true, .min = 1),
};

const struct json_table fcgi_resend_suppressions_body = JSON_TABLE(fields);

struct batch {
	const char **emails, **ids;
};

static const struct json_field batch_fields[] = {
    JSON_FIELD("emails", FIELD_STRINGS, struct batch, emails, .max = LIMIT_SUPPRESSION_BATCH),
    JSON_FIELD("ids", FIELD_STRINGS, struct batch, ids, .max = LIMIT_SUPPRESSION_BATCH),
};

const struct json_table fcgi_resend_suppressions_batch = JSON_TABLE(batch_fields);

/* An email that is none is an error of the field. */
static bool
suppressions_fail(const char *field, GError *failure, GError **error)
{
	if (!g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID)) {
		g_propagate_error(error, failure);
		return false;
	}
	fcgi_resend_fail(error, RESEND_INVALID, "Invalid `%s` field. %s.", field, failure->message);
	g_error_free(failure);
	return false;
}

bool
fcgi_resend_suppressions_post(struct fcgi_call *call, GError **error)
{
	struct input input = {0};
	GError *failure = NULL;
	struct base_id id;

	if (!fcgi_resend_read(call->json, &fcgi_resend_suppressions_body, &input, error))
		return false;
	if (!person_suppress_add_emails(
		call->service, &call->key.workspace_id, &input.email, 1, &id, &failure))
		return suppressions_fail("email", failure, error);
	fcgi_resend_reply_id(call, 201, OBJECT, &id, false);
	return true;
}

static const struct fcgi_resend_member members[] = {
    {"id"},
    {"email"},
    {"origin"},
    {"source_id"},
    {"created_at", "created"},
};

static void
suppressions_write_row(struct json_writer *writer, const struct service *service, const void *row)
{
	fcgi_resend_write_view(writer, &person_suppress_view, members, G_N_ELEMENTS(members), row);
}

bool
fcgi_resend_suppressions_get(struct fcgi_call *call, GError **error)
{
	const char *name = call->arguments[0];
	AUTO(store_suppression) entry =
	    person_suppress_find(call->service, &call->key.workspace_id, name, error);

	/* None is left where the person was erased. */
	if (entry && !entry->email)
		entry->email = g_strdup(strchr(name, '@') ? name : "");
	return fcgi_resend_reply_row(call, OBJECT, suppressions_write_row, entry);
}

static bool
suppressions_read_filter(
    struct fcgi_call *call, enum store_suppression_filter *filter_r, GError **error)
{
	static const struct {
		const char *name;
		enum store_suppression_filter filter;
	} filters[] = {{"bounce", SUPPRESSION_OF_BOUNCES}, {"complaint", SUPPRESSION_OF_COMPLAINTS},
	    {"manual", SUPPRESSION_OF_PEOPLE}};
	const char *text;

	*filter_r = SUPPRESSION_ANY;
	if (!fcgi_resend_query(call, "origin", &text, error))
		return false;
	if (!text)
		return true;
	for (gsize i = 0; i < G_N_ELEMENTS(filters); i++)
		if (strcmp(text, filters[i].name) == 0) {
			*filter_r = filters[i].filter;
			return true;
		}
	return fcgi_resend_fail(error, RESEND_INVALID,
	    "Invalid `origin` field. origin must be one of bounce, complaint, manual.");
}

bool
fcgi_resend_suppressions_list(struct fcgi_call *call, GError **error)
{
	enum store_suppression_filter filter;
	struct store_page page;

	if (!fcgi_resend_page(call, RESEND_ROWS_SOME, &page, error) ||
	    !suppressions_read_filter(call, &filter, error))
		return false;
	g_autoptr(GPtrArray) entries = store_suppression_page(
	    call->service->db, &call->key.workspace_id, filter, &page, error);
	return fcgi_resend_list(call, &page, entries, suppressions_write_row);
}

bool
fcgi_resend_suppressions_delete(struct fcgi_call *call, GError **error)
{
	struct person_suppress_named named = {call->arguments[0]};
	const struct store_consent_act act = fcgi_call_act(call);

	if (!person_suppress_remove_names(
		call->service, &call->key.workspace_id, &named, 1, &act, error))
		return false;
	if (!named.is_removed)
		return fcgi_resend_missing(error, "Suppression");
	fcgi_resend_reply_id(call, 200, OBJECT, &named.id, true);
	return true;
}

static void
reply_batch(
    struct fcgi_call *call, guint status, const struct base_id *ids, guint count, bool deleted)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "data");
	for (guint i = 0; i < count; i++) {
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "object", OBJECT);
		fcgi_resend_write_id(writer, "id", &ids[i]);
		if (deleted)
			json_writer_boolean(writer, "deleted", true);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, status, writer);
}

static bool
suppressions_add(struct fcgi_call *call, const struct batch *batch, GError **error)
{
	guint count = batch->emails ? g_strv_length((char **)batch->emails) : 0;
	g_autofree struct base_id *ids = g_new(struct base_id, count);
	GError *failure = NULL;

	if (count == 0)
		return fcgi_resend_fail(error, RESEND_MISSING_FIELD, "Missing `emails` field.");
	if (!person_suppress_add_emails(
		call->service, &call->key.workspace_id, batch->emails, count, ids, &failure))
		return suppressions_fail("emails", failure, error);
	reply_batch(call, 201, ids, count, false);
	return true;
}

/* Checks what the client removes, which is nothing else if one of it is malformed. */
static bool
suppressions_check_names(const struct batch *batch, GError **error)
{
	GError *failure = NULL;
	struct base_id id;

	for (guint i = 0; batch->ids && batch->ids[i]; i++)
		if (!base_id_parse(batch->ids[i], &id))
			return fcgi_resend_fail(error, RESEND_INVALID,
			    "Invalid `ids` field. ids[%u] must be a valid UUID.", i);
	for (guint i = 0; batch->emails && batch->emails[i]; i++) {
		g_autofree char *address = person_contact_address(batch->emails[i], &failure);

		if (!address)
			return suppressions_fail("emails", failure, error);
	}
	return true;
}

static bool
take_away(struct fcgi_call *call, const struct batch *batch, GError **error)
{
	guint emails = batch->emails ? g_strv_length((char **)batch->emails) : 0;
	guint count = batch->ids ? g_strv_length((char **)batch->ids) : 0;

	if (emails > 0 && count > 0)
		return fcgi_resend_fail(error, RESEND_INVALID,
		    "Invalid `ids` field. emails and ids cannot both be given.");
	if (emails == 0 && count == 0)
		return fcgi_resend_fail(
		    error, RESEND_MISSING_FIELD, "Missing `emails` or `ids` field.");
	const char *const *names = emails > 0 ? batch->emails : batch->ids;
	count = MAX(emails, count);
	g_autofree struct person_suppress_named *named =
	    g_new0(struct person_suppress_named, count);
	g_autofree struct base_id *ids = g_new(struct base_id, count);
	const struct store_consent_act act = fcgi_call_act(call);
	guint removed = 0;
	for (guint i = 0; i < count; i++)
		named[i].name = names[i];
	if (!suppressions_check_names(batch, error) ||
	    !person_suppress_remove_names(
		call->service, &call->key.workspace_id, named, count, &act, error))
		return false;
	for (guint i = 0; i < count; i++)
		if (named[i].is_removed)
			ids[removed++] = named[i].id;
	reply_batch(call, 200, ids, removed, true);
	return true;
}

static bool
serve_batch(struct fcgi_call *call,
    bool (*serve)(struct fcgi_call *, const struct batch *, GError **), GError **error)
{
	struct batch batch = {0};

	if (!fcgi_resend_read(call->json, &fcgi_resend_suppressions_batch, &batch, error))
		return false;
	bool done = serve(call, &batch, error);
	json_fields_free(batch_fields, G_N_ELEMENTS(batch_fields), &batch);
	return done;
}

bool
fcgi_resend_suppressions_add(struct fcgi_call *call, GError **error)
{
	return serve_batch(call, suppressions_add, error);
}

bool
fcgi_resend_suppressions_remove(struct fcgi_call *call, GError **error)
{
	return serve_batch(call, take_away, error);
}
