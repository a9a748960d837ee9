/* SPDX-License-Identifier: MIT */
/* Broadcasts before they are sent: tests and checks (/v1/broadcasts/{id}/test, /check). */
#include "fcgi/v1/handlers.h"

#include "api/fields.h"
#include "base/error.h"
#include "broadcast/check.h"
#include "broadcast/report.h"
#include "broadcast/test_send.h"
#include "broadcast/view.h"
#include "fcgi/api/context.h"
#include "json/writer.h"
#include "service/service.h"

/* The id in the path. One that is no id is all zero, which no broadcast has. */
static struct base_id
broadcast_trial_id_of(const struct fcgi_call *call)
{
	struct base_id id = {{0}};

	base_id_parse(call->arguments[0], &id);
	return id;
}

static const struct json_field trial_fields[] = {FIELDS_BROADCAST_TEST(struct broadcast_test_send)};

static const struct json_field wish_fields[] = {FIELDS_BROADCAST_CHECK(struct broadcast_wish)};

const struct json_table fcgi_broadcasts_test_body = JSON_TABLE(trial_fields);
const struct json_table fcgi_broadcasts_check_body = {
    wish_fields, G_N_ELEMENTS(wish_fields), .optional = true};

bool
fcgi_broadcasts_test(struct fcgi_call *call, GError **error)
{
	struct broadcast_test_send trial = {0};
	struct base_id id = broadcast_trial_id_of(call);
	bool done =
	    json_fields_read(call->json, trial_fields, G_N_ELEMENTS(trial_fields), &trial, error) &&
	    broadcast_test_send_send(call->service, &call->key.workspace_id, &id, &trial, error);

	json_fields_free(trial_fields, G_N_ELEMENTS(trial_fields), &trial);
	if (done)
		fcgi_reply_message(call->reply, "Test sent");
	return done;
}

bool
fcgi_broadcasts_check(struct fcgi_call *call, GError **error)
{
	struct broadcast_wish wish = {.sample = BROADCAST_SAMPLE, .in_turn = true};
	struct broadcast_report report = {0};
	AUTO(json_writer) writer = json_writer_new();
	struct base_id id = broadcast_trial_id_of(call);
	bool done =
	    json_fields_read(call->json, wish_fields, G_N_ELEMENTS(wish_fields), &wish, error) &&
	    broadcast_check(call->service, &call->key.workspace_id, &id, &wish, &report, error);

	if (done) {
		broadcast_view_report(writer, &report);
		fcgi_reply_json(call->reply, 200, writer);
	}
	broadcast_report_clear(&report);
	return done;
}
