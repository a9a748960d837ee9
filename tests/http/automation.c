/* SPDX-License-Identifier: MIT */
/* Makes workflows, executions, their emails, automation contacts and events. */
#include "tests/http/automation.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/list.h"
#include "db/statement.h"
#include "store/email/email.h"
#include "store/email/event.h"

#define RUN(fixture, sql, ...)                                                                     \
	do {                                                                                       \
		g_autoptr(GError) failure_ = NULL;                                                 \
		cr_assert(db_run((fixture)->db, sql, DB_VALUES(__VA_ARGS__), NULL, &failure_),     \
		    "%s", failure_ ? failure_->message : "");                                      \
	} while (0)

char *
automation_text(const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	return g_strdup(base_id_format(id, text));
}

struct base_id
automation_workflow(const struct fixture *fixture, const char *name)
{
	struct base_id id = base_id_new();

	RUN(fixture,
	    "INSERT INTO workflow (id, workspace_id, name, status, current_version, active_version,"
	    " created_by, created_by_type, created, updated)"
	    " VALUES (?, ?, ?, ?, 2, 1, 'ann@example.com', ?, 1000, 2000)",
	    db_id(&id), db_id(&fixture->id), db_text(name), db_int(WORKFLOW_ACTIVE),
	    db_int(AUTHOR_USER));
	for (gint64 version = 1; version <= 2; version++)
		RUN(fixture,
		    "INSERT INTO workflow_version (workflow_id, version, workspace_id, design,"
		    " created) VALUES (?, ?, ?, ?, 1000)",
		    db_id(&id), db_int(version), db_id(&fixture->id),
		    db_text(version == 2 ? DESIGN : "{}"));
	return id;
}

char *
automation_start(const struct fixture *fixture, const char *event)
{
	g_autofree char *body = g_strdup_printf(
	    "{'name':'Started','status':'active','design':{'nodes':[{'id':'start','type':'trigger',"
	    "'data':{'eventName':'%s'}},{'id':'pause','type':'wait','data':{'duration':30,'unit':"
	    "'days'}}],'edges':[{'id':'e','source':'start','target':'pause'}]}}",
	    event);
	const struct exchange exchange = {event, "POST", "/v1/workflows", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "workflow_id"));
}

void
automation_delete(const struct fixture *fixture, const struct base_id *workflow)
{
	RUN(fixture, "UPDATE workflow SET deleted = 5000 WHERE id = ?", db_id(workflow));
	RUN(fixture,
	    "INSERT INTO workflow_task (workflow_id, kind, workspace_id)"
	    " VALUES (?, 1, ?), (?, 2, ?)",
	    db_id(workflow), db_id(&fixture->id), db_id(workflow), db_id(&fixture->id));
}

struct base_id
automation_contact(const struct fixture *fixture, const char *email)
{
	struct base_id id = base_id_new();
	g_autofree char *address = g_ascii_strdown(email, -1);

	RUN(fixture,
	    "INSERT INTO person (id, workspace_id, email, address, properties,"
	    " first_seen, last_seen, last_event, event_count, created, updated)"
	    " VALUES (?, ?, ?, ?, '{\"plan\":\"pro\",\"visits\":3}', 1000, 2000, 'signed_up', 2,"
	    " 1000, 2500)",
	    db_id(&id), db_id(&fixture->id), db_text(email), db_text(address));
	return id;
}

struct base_id
automation_event(const struct fixture *fixture, const struct base_id *contact, const char *name)
{
	struct base_id id = base_id_new();

	RUN(fixture,
	    "INSERT INTO automation_event (id, workspace_id, contact_id, name, timestamp,"
	    " properties, created) VALUES (?, ?, ?, ?, 1500, '{\"n\":1.50}', 1600)",
	    db_id(&id), db_id(&fixture->id), db_id(contact), db_text(name));
	return id;
}

struct base_id
automation_execution(const struct fixture *fixture, const struct base_id *workflow,
    const struct base_id *contact, enum store_execution_status status)
{
	struct base_id id = base_id_new(), event = base_id_new();
	bool finished = status != EXECUTION_IN_PROGRESS && status != EXECUTION_WAITING;
	bool failed = status == EXECUTION_FAILED, cancelled = status == EXECUTION_CANCELLED;

	RUN(fixture,
	    "INSERT INTO execution (id, workspace_id, workflow_id, contact_id, event_id, email,"
	    " version, status, step_id, step_count, step_time, wait_until, error_step,"
	    " error_message, cancellation, created, updated, completed)"
	    " VALUES (?, ?, ?, ?, ?, 'ada@example.net', 1, ?, 'n2', 2, 1000, ?, ?, ?, ?, 1000,"
	    " 2000, ?)",
	    db_id(&id), db_id(&fixture->id), db_id(workflow), db_id(contact), db_id(&event),
	    db_int(status), status == EXECUTION_WAITING ? db_int(9000) : db_null(),
	    failed ? db_text("n2") : db_null(), failed ? db_text("It broke") : db_null(),
	    cancelled ? db_int(CANCELLATION_MANUAL) : db_null(),
	    finished ? db_int(2000) : db_null());
	return id;
}

struct base_id
automation_email(
    const struct fixture *fixture, const struct base_id *workflow, const struct base_id *execution)
{
	static const enum store_event_status statuses[] = {EVENT_DELIVERED, EVENT_SENT};
	struct base_id id = base_id_new(), none = {{0}};

	RUN(fixture,
	    "INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, subject,"
	    " created) VALUES (?, ?, ?, ?, 'a@example.com', 'ada@example.net', 'Welcome', 1000)",
	    db_id(&id), db_id(&fixture->id), db_id(&none), db_int(EMAIL_AUTOMATION));
	RUN(fixture,
	    "INSERT INTO recipient (email_id, number, workspace_id, kind, address)"
	    " VALUES (?, 0, ?, 1, 'ada@example.net')",
	    db_id(&id), db_id(&fixture->id));
	for (gsize i = 0; i < G_N_ELEMENTS(statuses); i++) {
		struct base_id event = base_id_new();
		RUN(fixture,
		    "INSERT INTO event (email_id, id, workspace_id, recipient, status, timestamp)"
		    " VALUES (?, ?, ?, 0, ?, ?)",
		    db_id(&id), db_id(&event), db_id(&fixture->id), db_int(statuses[i]),
		    db_int(statuses[i] == EVENT_SENT ? 1100 : 1200));
	}
	RUN(fixture,
	    "INSERT INTO execution_email (email_id, workspace_id, workflow_id, execution_id,"
	    " contact_id, step_id, depth) VALUES (?, ?, ?, ?, ?, 'n2', 0)",
	    db_id(&id), db_id(&fixture->id), db_id(workflow), db_id(execution), db_id(&none));
	return id;
}

char *
automation_walk(const struct fixture *fixture, const char *path, const char *query,
    const char *collection, const char *key)
{
	g_autofree char *cursor = g_strdup("");
	GString *found = g_string_new(NULL);

	while (cursor) {
		g_autofree char *whole = g_strdup_printf("%s?%scursor=%s", path, query, cursor);
		const struct exchange exchange = {whole, "GET", whole, NULL, 200};
		AUTO(answer) page = exchange_expect(fixture, &exchange);
		const struct json *items = answer_at(page, collection);
		gsize count = json_array_length(items);
		const char *next = json_string(answer_at(page, "cursor"), NULL);

		cr_assert_eq((gsize)json_integer(answer_at(page, "count")), count, "%s", whole);
		cr_assert(!next || count == LIMIT_PAGE, "%s: %zu on a page", whole, count);
		cr_assert(count > 0 || !*cursor, "%s: there was none to come", whole);
		cr_assert(count <= LIMIT_PAGE, "%s: %zu on a page", whole, count);
		for (gsize i = 0; i < count; i++) {
			const struct json *value = json_member_get(json_array_at(items, i), key);
			const char *number = json_number_text(value);

			g_string_append_printf(found, "%s%s", found->len > 0 ? " " : "",
			    number ? number : json_string(value, NULL));
		}
		/* A cursor needs no escaping. */
		g_free(cursor);
		cursor = g_strdup(next);
	}
	return g_string_free(found, FALSE);
}
