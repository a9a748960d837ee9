/* SPDX-License-Identifier: MIT */
#include "store/broadcast/engagement.h"

#include <string.h>

#include "base/clock.h"
#include "store/email/email.h"
#include "tests/store/emails.h"
#include "tests/store/fixture.h"

#define START G_GINT64_CONSTANT(1800000000000)

static struct fixture *fixture;
static struct store_email *email;

static bool
insert_email(struct db *db, void *context, GError **error)
{
	return store_email_insert(db, (const struct store_email *const *)&context, 1, error);
}

static void
reader_begin(void)
{
	fixture = fixture_open();
	base_clock_set(START);
	email = store_email_new();
	email->workspace_id = fixture->workspace;
	email->domain_id = base_id_new();
	email->type = EMAIL_AUTOMATION;
	email->sender = g_strdup("Ann <a@example.com>");
	email->to = g_strdup("b@x.org, c@x.org");
	email->subject = g_strdup("S");
	email->tracking = TRACK_OPENS | TRACK_UNSUBSCRIBE;
	store_email_add_recipient(email, RECIPIENT_TO, g_strdup("b@x.org"));
	store_email_add_recipient(email, RECIPIENT_TO, g_strdup("c@x.org"));
	MUST(db_transact(fixture->db, insert_email, email, &error));
}

static void
reader_end(void)
{
	store_email_free(email);
	fixture_close(fixture);
}

TestSuite(reader, .init = reader_begin, .fini = reader_end);

static bool
reader_insert_event(struct db *db, void *context, GError **error)
{
	return store_event_insert(db, context, 1, error);
}

static void
reader_add(guint recipient, enum store_event_status status, gint64 at, const char *link)
{
	struct store_event event = {.workspace_id = fixture->workspace,
	    .email_id = email->id,
	    .type = EMAIL_AUTOMATION,
	    .recipient = recipient,
	    .status = status,
	    .timestamp = START + at,
	    .link = link};

	base_clock_set(START + at);
	MUST(db_transact(fixture->db, reader_insert_event, &event, &error));
}

Test(reader, is_known_by_email_and_number)
{
	AUTO(store_engagement) reader =
	    MUST_GIVE(store_engagement_get(fixture->db, &email->id, 1, &error));

	cr_expect(base_id_equal(&reader->workspace_id, &fixture->workspace));
	cr_expect_str_eq(reader->address, "c@x.org");
	cr_expect_str_eq(reader->sender, "Ann <a@example.com>");
	cr_expect_eq(reader->type, EMAIL_AUTOMATION);
	cr_expect_eq(reader->latest, 0);
	reader_add(1, EVENT_SENT, 5, NULL);
	AUTO(store_engagement) later =
	    MUST_GIVE(store_engagement_get(fixture->db, &email->id, 1, &error));
	cr_expect_eq(later->latest, START + 5);
	struct base_id nobody = base_id_new();
	MUST_FAIL(store_engagement_get(fixture->db, &email->id, 2, &error), PH_ERROR_NOT_FOUND);
	MUST_FAIL(store_engagement_get(fixture->db, &nobody, 0, &error), PH_ERROR_NOT_FOUND);
}

Test(reader, is_nobody_once_forgotten)
{
	test_db_plain(fixture->db, "UPDATE recipient SET address = '' WHERE number = 1");
	MUST_FAIL(store_engagement_get(fixture->db, &email->id, 1, &error), PH_ERROR_NOT_FOUND);
	AUTO(store_engagement) other =
	    MUST_GIVE(store_engagement_get(fixture->db, &email->id, 0, &error));
}

static bool
reader_lock(struct db *db, void *context, GError **error)
{
	AUTO(store_engagement) reader =
	    store_engagement_lock(db, &email->id, GPOINTER_TO_UINT(context), error);
	AUTO(db) other = fixture_impatient(fixture);
	g_autoptr(GError) busy = NULL;

	cr_assert(reader);
	cr_expect_not(
	    db_run(other, "UPDATE recipient SET status = NULL WHERE email_id = ? AND number = ?",
		DB_VALUES(db_id(&email->id), db_int(GPOINTER_TO_UINT(context))), NULL, &busy));
	cr_expect(
	    db_run(other, "UPDATE recipient SET status = NULL WHERE email_id = ? AND number = ?",
		DB_VALUES(db_id(&email->id), db_int(1 - GPOINTER_TO_UINT(context))), NULL, NULL));
	return true;
}

Test(reader, is_locked_alone)
{
	MUST(db_transact(fixture->db, reader_lock, GUINT_TO_POINTER(1), &error));
}

static void
reader_print(const struct store_event *event, void *context)
{
	g_string_append_printf(context, "%s%s%s ", store_event_name(event->status),
	    event->link ? "=" : "", event->link ? event->link : "");
}

Test(reader, has_a_recent_past_of_their_own)
{
	g_autoptr(GString) got = g_string_new(NULL);
	bool has;

	reader_add(0, EVENT_SENT, 1000, NULL);
	reader_add(1, EVENT_SENT, 1000, NULL);
	reader_add(1, EVENT_CLICKED, 3000, "a");
	reader_add(0, EVENT_CLICKED, 3000, "b");
	reader_add(1, EVENT_OPENED, 3500, NULL);
	AUTO(store_engagement) reader =
	    MUST_GIVE(store_engagement_get(fixture->db, &email->id, 1, &error));
	MUST(store_engagement_recent(fixture->db, reader, START + 2000, reader_print, got, &error));
	cr_expect_str_eq(got->str, "clicked=a opened ");
	g_string_truncate(got, 0);
	MUST(store_engagement_recent(fixture->db, reader, START + 1000, reader_print, got, &error));
	cr_expect_str_eq(got->str, "sent clicked=a opened ");
	MUST(store_engagement_has(fixture->db, reader, EVENT_SENT, &has, &error));
	cr_expect(has);
	MUST(store_engagement_has(fixture->db, reader, EVENT_UNSUBSCRIBED, &has, &error));
	cr_expect_not(has);
}

struct marking {
	struct store_engagement *reader;
	gint64 since;
};

static bool
reader_mark(struct db *db, void *context, GError **error)
{
	const struct marking *marking = context;

	return store_engagement_mark(db, marking->reader, marking->since, error);
}

Test(reader, has_opens_and_clicks_marked)
{
	reader_add(1, EVENT_SENT, 1000, NULL);
	reader_add(1, EVENT_CLICKED, 1000, "a");
	reader_add(1, EVENT_OPENED, 2000, NULL);
	reader_add(1, EVENT_UNSUBSCRIBED, 2000, NULL);
	reader_add(0, EVENT_OPENED, 2000, NULL);
	AUTO(store_engagement) reader =
	    MUST_GIVE(store_engagement_get(fixture->db, &email->id, 1, &error));
	MUST(db_transact(
	    fixture->db, reader_mark, &((struct marking){reader, START + 1001}), &error));
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM event WHERE automated = 1"), 1);
	MUST(db_transact(
	    fixture->db, reader_mark, &((struct marking){reader, START + 1000}), &error));
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM event WHERE automated = 1"), 2);
	cr_expect_eq(fixture_number(fixture,
			 "SELECT COUNT(*) FROM event WHERE automated = 1 AND recipient = 1 AND "
			 "status IN (5, 6)"),
	    2);
}

/* The rows read do not grow with the number of older events. */
Test(reader, is_looked_at_in_the_same_time_however_much_they_read)
{
	reader_add(1, EVENT_SENT, 0, NULL);
	for (guint i = 1; i < 200; i++)
		reader_add(1, EVENT_OPENED, i * 10, NULL);
	AUTO(store_engagement) reader =
	    MUST_GIVE(store_engagement_get(fixture->db, &email->id, 1, &error));
	g_autoptr(GString) got = g_string_new(NULL);
	bool has;

	fixture_work(fixture);
	MUST(store_engagement_recent(fixture->db, reader, START + 1900, reader_print, got, &error));
	MUST(store_engagement_has(fixture->db, reader, EVENT_SENT, &has, &error));
	struct fixture_work work = fixture_work(fixture);
	cr_expect_leq(work.read, 20, "%d rows", (int)work.read);
}
