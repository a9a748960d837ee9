/* SPDX-License-Identifier: MIT */
/* One change of many people, who are named or in a list (/v1/people/bulk, /v1/people/erase), and
   how many a list has (/v1/people/count). */
#include "fcgi/v1/handlers.h"

#include "audience/audience.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "consent/bulk.h"
#include "fcgi/api/audit.h"
#include "fcgi/api/context.h"
#include "fcgi/v1/named_list.h"
#include "json/fields.h"
#include "json/writer.h"
#include "store/consent/consent.h"
#include "store/consent/topic.h"

#define COUNT_MS 500 /* that one request counts */

struct bulk_input {
	const char **people; /* their addresses, */
	const char *list;    /* or the list that has them */
	const char *action, *audience, *topic;
};

/* clang-format off */
#define PEOPLE JSON_FIELD("people", FIELD_STRINGS, struct bulk_input, people, .min = 1, .max = LIMIT_BULK_PEOPLE), \
	JSON_FIELD("list", FIELD_STRING, struct bulk_input, list)
static const struct json_field bulk_fields[] = {
	PEOPLE,
	JSON_FIELD("action", FIELD_STRING, struct bulk_input, action),
	JSON_FIELD("audience_id", FIELD_STRING, struct bulk_input, audience),
	JSON_FIELD("topic_id", FIELD_STRING, struct bulk_input, topic),
};
static const struct json_field erase_fields[] = {PEOPLE};
/* clang-format on */

const struct json_table fcgi_people_bulk_body = JSON_TABLE(bulk_fields);
const struct json_table fcgi_people_erase_body = JSON_TABLE(erase_fields);

/* The answer: how many were changed, and the others. */
struct bulk_tally {
	guint changed, unchanged;
	guint uncertain;      /* 1: nobody knows whether the last of them was changed */
	GPtrArray *undo;      /* of char *, borrowed: the contrary action brings them back */
	GPtrArray *addresses; /* of char *, borrowed: not changed, */
	GPtrArray *faults;    /* of char *, owned: and why */
};

/* Whether a fault is that of one person. */
static bool
bulk_is_personal(const GError *fault)
{
	return g_error_matches(fault, PH_ERROR, PH_ERROR_INVALID) ||
	       g_error_matches(fault, PH_ERROR, PH_ERROR_NOT_FOUND) ||
	       g_error_matches(fault, PH_ERROR, PH_ERROR_CONFLICT) ||
	       g_error_matches(fault, PH_ERROR, PH_ERROR_LIMITED);
}

static bool
bulk_take(struct fcgi_call *call, const struct consent_bulk *bulk, const char *email,
    struct bulk_tally *tally, GError **error)
{
	struct consent_bulk_outcome outcome;
	g_autoptr(GError) fault = NULL;

	if (consent_bulk_apply(call->service, bulk, email, &outcome, &fault)) {
		tally->changed += outcome.is_changed;
		tally->unchanged += !outcome.is_changed;
		if (outcome.is_reversible)
			g_ptr_array_add(tally->undo, (char *)email);
		return true;
	}
	if (!bulk_is_personal(fault)) {
		tally->uncertain = g_error_matches(fault, PH_ERROR, PH_ERROR_UNCERTAIN);
		g_propagate_error(error, g_steal_pointer(&fault));
		return false;
	}
	g_ptr_array_add(tally->addresses, (char *)email);
	g_ptr_array_add(tally->faults, g_strdup(fault->message));
	return true;
}

/* Replies. page: that of the list whose people were changed; NULL: they were named. */
static void
bulk_reply(
    struct fcgi_call *call, const struct bulk_tally *tally, const struct fcgi_named_page *page)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "changed", tally->changed);
	json_writer_integer(writer, "unchanged", tally->unchanged);
	json_writer_begin_array(writer, "undo");
	for (guint i = 0; i < tally->undo->len; i++)
		json_writer_string(writer, NULL, tally->undo->pdata[i]);
	json_writer_end_array(writer);
	json_writer_begin_array(writer, "failed");
	for (guint i = 0; i < tally->faults->len; i++) {
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "email", tally->addresses->pdata[i]);
		json_writer_string(writer, "message", tally->faults->pdata[i]);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
	if (page) {
		json_writer_integer(writer, "count", page->rows);
		json_writer_string(writer, "cursor", page->cursor);
	}
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
}

static bool
bulk_has_people(const struct bulk_input *input, GError **error)
{
	if (input->people && input->list)
		return base_invalid(error, "people and list do not go together");
	return input->people || input->list || base_invalid(error, "people is required");
}

/* The audit says the action and the number of those whom it was for. */
static void
bulk_audit(struct fcgi_call *call, const struct consent_bulk *bulk, guint count)
{
	const char *word = bulk->kind == BULK_ERASE ? "erase" : consent_bulk_words[bulk->kind - 1];
	g_autofree char *name = g_strdup_printf("%s %u", word, count);
	char address[ADDRESS_TEXT_SIZE];
	struct store_audit audit = fcgi_audit_client(call, call->route->audit, address);

	audit.target_type = "person";
	audit.target_name = name;
	fcgi_audit_store_own(call->service, &audit);
}

static bool
bulk_run(struct fcgi_call *call, const struct consent_bulk *bulk, const char *const *emails,
    guint count, const struct fcgi_named_page *page, GError **error)
{
	g_autoptr(GPtrArray) undo = g_ptr_array_new(), addresses = g_ptr_array_new(),
			     faults = g_ptr_array_new_with_free_func(g_free);
	struct bulk_tally tally = {0, 0, 0, undo, addresses, faults};
	guint done = 0;

	while (done < count && bulk_take(call, bulk, emails[done], &tally, error))
		done++;
	if (done == count ? count > 0 : tally.changed + tally.uncertain > 0)
		bulk_audit(call, bulk, done + tally.uncertain);
	if (done < count)
		return false;
	bulk_reply(call, &tally, page);
	return true;
}

/* Changes the people of the next page of a list. */
static bool
bulk_run_list(
    struct fcgi_call *call, const struct consent_bulk *bulk, const char *text, GError **error)
{
	struct fcgi_named_page page = {NULL};
	struct fcgi_named_list list;
	bool done = fcgi_named_list_open(call, text, &list, error) &&
		    fcgi_named_list_next(call, &list, &page, error) &&
		    bulk_run(call, bulk, (const char *const *)page.addresses->pdata,
			page.addresses->len, &page, error);

	fcgi_named_page_clear(&page);
	fcgi_named_list_clear(&list);
	return done;
}

static bool
bulk_run_input(struct fcgi_call *call, const struct consent_bulk *bulk,
    const struct bulk_input *input, GError **error)
{
	if (!consent_bulk_check(call->service, bulk, error))
		return false;
	return input->list ? bulk_run_list(call, bulk, input->list, error)
			   : bulk_run(call, bulk, input->people,
				 g_strv_length((char **)input->people), NULL, error);
}

/* Reads the audience or the topic that the action is about. */
static bool
bulk_read_target(const struct bulk_input *input, struct consent_bulk *bulk,
    struct base_id *target_r, GError **error)
{
	bool has_audience = consent_bulk_has_audience(bulk->kind);
	bool has_topic = consent_bulk_has_topic(bulk->kind);

	if (has_audience && !input->audience)
		return base_invalid(error, "audience_id is required");
	if (has_topic && !input->topic)
		return base_invalid(error, "topic_id is required");
	if (has_audience && !audience_id(input->audience, target_r, error))
		return false;
	if (has_topic && !base_id_parse(input->topic, target_r))
		return store_topic_missing(error);
	bulk->target = has_audience || has_topic ? target_r : NULL;
	return true;
}

static bool
bulk_read_action(const char *word, enum consent_bulk_kind *kind_r, GError **error)
{
	g_autofree char *all = g_strjoinv(", ", (char **)consent_bulk_words);

	if (!word)
		return base_invalid(error, "action is required");
	for (guint i = 0; consent_bulk_words[i]; i++)
		if (g_str_equal(word, consent_bulk_words[i])) {
			*kind_r = (enum consent_bulk_kind)(i + 1);
			return true;
		}
	return base_invalid(error, "action must be one of %s", all);
}

bool
fcgi_people_bulk(struct fcgi_call *call, GError **error)
{
	const struct store_consent_act act = fcgi_call_act(call);
	struct consent_bulk bulk = {.workspace = &call->key.workspace_id, .act = &act};
	struct bulk_input input = {NULL};
	struct base_id target;
	bool done =
	    json_fields_read(call->json, bulk_fields, G_N_ELEMENTS(bulk_fields), &input, error) &&
	    bulk_has_people(&input, error) && bulk_read_action(input.action, &bulk.kind, error) &&
	    bulk_read_target(&input, &bulk, &target, error) &&
	    bulk_run_input(call, &bulk, &input, error);

	json_fields_free(bulk_fields, G_N_ELEMENTS(bulk_fields), &input);
	return done;
}

bool
fcgi_people_erase(struct fcgi_call *call, GError **error)
{
	const struct store_consent_act act = fcgi_call_act(call);
	const struct consent_bulk bulk = {BULK_ERASE, &call->key.workspace_id, NULL, &act};
	struct bulk_input input = {NULL};
	bool done =
	    json_fields_read(call->json, erase_fields, G_N_ELEMENTS(erase_fields), &input, error) &&
	    bulk_has_people(&input, error) && bulk_run_input(call, &bulk, &input, error);

	json_fields_free(erase_fields, G_N_ELEMENTS(erase_fields), &input);
	return done;
}

/* Reads pages of a list for a while. */
static bool
count_rows(struct fcgi_call *call, struct fcgi_named_list *list, gint64 *count_r, char **cursor_r,
    GError **error)
{
	gint64 end = base_clock_boot() + COUNT_MS;
	bool goes_on;

	do {
		struct fcgi_named_page page = {NULL};
		bool is_read = fcgi_named_list_next(call, list, &page, error);

		g_free(*cursor_r);
		*cursor_r = g_steal_pointer(&page.cursor);
		*count_r += page.rows;
		fcgi_named_page_clear(&page);
		if (!is_read)
			return false;
		goes_on = *cursor_r && base_clock_boot() < end;
	} while (goes_on);
	return true;
}

static bool
count_list(struct fcgi_call *call, const char *text, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autofree char *cursor = NULL;
	struct fcgi_named_list list;
	gint64 count = 0;
	bool done = fcgi_named_list_open(call, text, &list, error) &&
		    count_rows(call, &list, &count, &cursor, error);

	fcgi_named_list_clear(&list);
	if (!done)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "count", count);
	json_writer_string(writer, "cursor", cursor);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_people_count(struct fcgi_call *call, GError **error)
{
	const char *text;

	return fcgi_page_text(call, "list", &text, error) &&
	       count_list(call, text ? text : "/v1/people", error);
}
