/* SPDX-License-Identifier: MIT */
/* Tests the header of mail that a workflow sends because a mail came. */
#include "automation/answer.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "db/transaction.h"
#include "json/strict.h"
#include "store/received/event.h"
#include "store/received/received.h"
#include "tests/automation/fixture.h"

#define ANSWER NODE("a", "send_email", "'subject': 'Got it', 'html': '<p>Hello</p>'")
#define MAIL_CAME NODE("t", "trigger", "'eventName': 'email.received'")

struct answer_mail {
	struct store_received *row;
	char *properties;
};

static bool
answer_insert(struct db *db, void *context, GError **error)
{
	const struct answer_mail *mail = context;

	return store_received_insert(db, mail->row, error) &&
	       store_received_event_add(db, &mail->row->workspace_id, "ann@example.org",
		   base_clock_now(), mail->properties, error);
}

/* Stores a mail of ann@example.org. summary and content are JSON in which ' stands for ". */
static struct base_id
answer_receive(struct fixture *fixture, const char *summary, const char *content)
{
	AUTO(store_received) row = store_received_new();
	g_autoptr(GError) error = NULL;
	char id[ID_TEXT_SIZE];

	row->id = base_id_new();
	row->workspace_id = fixture->house->workspace;
	row->writer = g_strdup("ann@example.org");
	row->sender = g_strdup("");
	row->summary = g_strdelimit(g_strdup(summary), "'", '"');
	char *text = g_strdelimit(g_strdup(content), "'", '"');
	row->content = g_bytes_new_take(text, strlen(text));
	g_autofree char *properties =
	    g_strdup_printf("{\"received_id\":\"%s\"}", base_id_format(&row->id, id));
	struct answer_mail mail = {row, properties};
	cr_assert(db_transact(fixture->db, answer_insert, &mail, &error), "%s",
	    error ? error->message : "");
	return row->id;
}

/* The fields of the last email. The caller owns them. */
static char *
answer_headers(struct fixture *fixture)
{
	return test_db_text(
	    fixture->db, "SELECT COALESCE(headers, 'none') FROM email ORDER BY id DESC LIMIT 1");
}

#define FIELDS(more) "{\"Auto-Submitted\":\"auto-replied\"" more "}"

Test(answer, names_the_mail_that_came)
{
	static const struct {
		const char *summary, *content, *want;
	} cases[] = {
	    {"{'message_id': '1@x.org'}", "{'references': []}",
		FIELDS(",\"In-Reply-To\":\"<1@x.org>\",\"References\":\"<1@x.org>\"")},
	    {"{'message_id': '3@x.org'}", "{'in_reply_to': '2@x', 'references': ['1@x', '2@x']}",
		FIELDS(",\"In-Reply-To\":\"<3@x.org>\",\"References\":\"<1@x> <2@x> <3@x.org>\"")},
	    {"{'message_id': '3@x.org'}", "{'in_reply_to': '2@x', 'references': []}",
		FIELDS(",\"In-Reply-To\":\"<3@x.org>\",\"References\":\"<2@x> <3@x.org>\"")},
	    {"{'message_id': '3@x.org'}",
		"{'references': ['a b', '1@x\\r\\nBcc: y', '<>', '\u00e4', '2@x']}",
		FIELDS(",\"In-Reply-To\":\"<3@x.org>\",\"References\":\"<2@x> <3@x.org>\"")},
	    {"{'message_id': null}", "{'references': ['1@x']}", FIELDS("")},
	    {"{'message_id': 'a b'}", "{'references': ['1@x']}", FIELDS("")},
	};
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, MAIL_CAME "," ANSWER, EDGE("t", "a"));
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		fixture_at(2 * i * HOUR);
		answer_receive(fixture, cases[i].summary, cases[i].content);
		fixture_run(fixture);
		cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM email"), i + 1);
		fixture_expect(cases[i].content, answer_headers(fixture), cases[i].want);
	}
}

/* A field has so many bytes: the oldest ids go. */
Test(answer, leaves_out_what_has_no_room)
{
	AUTO(fixture) fixture = fixture_open();
	g_autofree char *fits = g_strnfill(998 - strlen("<3@x> <>"), 'f');
	g_autofree char *large = g_strnfill(998 - strlen("<3@x> <>") + 1, 'l');
	const char *const ids[] = {fits, large};

	fixture_workflow(fixture, MAIL_CAME "," ANSWER, EDGE("t", "a"));
	for (guint i = 0; i < G_N_ELEMENTS(ids); i++) {
		g_autofree char *content = g_strdup_printf("{'references': ['%s']}", ids[i]);
		g_autofree char *before = i == 0 ? g_strdup_printf("<%s> ", ids[i]) : g_strdup("");
		g_autofree char *want = g_strdup_printf(
		    FIELDS(",\"In-Reply-To\":\"<3@x>\",\"References\":\"%s<3@x>\""), before);

		fixture_at(2 * i * HOUR);
		answer_receive(fixture, "{'message_id': '3@x'}", content);
		fixture_run(fixture);
		fixture_expect("references", answer_headers(fixture), want);
	}
}

/* A mail that was removed meanwhile has no id; mail of other events is no answer. */
Test(answer, is_automatic_without_the_mail)
{
	AUTO(fixture) fixture = fixture_open();

	fixture_workflow(fixture, MAIL_CAME "," ANSWER, EDGE("t", "a"));
	fixture_workflow(fixture, TRIGGER "," ANSWER, EDGE("t", "a"));
	const struct base_id id =
	    answer_receive(fixture, "{'message_id': '1@x.org'}", "{'references': []}");
	cr_assert(store_received_remove(fixture->db, &fixture->house->workspace, &id, NULL));
	fixture_run(fixture);
	fixture_expect("removed", answer_headers(fixture), FIELDS(""));
	fixture_at(1);
	fixture_event(fixture, "order", NULL);
	fixture_run(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM email"), 2);
	fixture_expect("of another event", answer_headers(fixture), "none");
}
