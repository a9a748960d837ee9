/* SPDX-License-Identifier: MIT */
#include "store/outbox/warmup.h"

#include "db/connection.h"
#include "store/domain/domain.h"
#include "tests/store/emails.h"

#define DAY ((gint64)24 * 60 * 60 * 1000)
#define TODAY (20000 * DAY) /* its beginning */
#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

FIXTURE_SUITE(warmup);

static struct base_id
warmup_create(const char *name)
{
	struct store_domain domain = {
	    .workspace_id = fixture->workspace, .name = (char *)name, .status = DOMAIN_SUCCESS};

	MUST(store_domain_create(
	    fixture->db, &domain, &(struct store_domain_creation){NULL, NULL, 0, 0}, &error));
	return domain.id;
}

/* An email of the domain. */
static struct base_id
warmup_send(const struct base_id *domain)
{
	AUTO(store_email) email = email_new(&fixture->workspace, TO("a@x.org", "b@x.org"));

	email->domain_id = *domain;
	email_store(fixture, email);
	return email->id;
}

static struct store_event
warmup_event_of(const struct base_id *email, enum store_event_status status, gint64 time)
{
	return (struct store_event){.workspace_id = fixture->workspace,
	    .email_id = *email,
	    .status = status,
	    .timestamp = time};
}

/* "day delivered/bounced", of each day. */
static void
expect_days(const struct base_id *domain, const char *name, const char *want)
{
	static const char sql[] = "SELECT day, SUM(delivered), SUM(bounced) FROM domain_day"
				  " WHERE domain_id = ? AND workspace_id = ? GROUP BY day";
	AUTO(db_rows) rows = MUST_GIVE(db_select(
	    fixture->db, sql, DB_VALUES(db_id(domain), db_id(&fixture->workspace)), &error));
	g_autoptr(GString) got = g_string_new(NULL);

	while (db_rows_next(rows))
		g_string_append_printf(got, "%d %d/%d, ", (int)db_rows_int(rows, 0),
		    (int)db_rows_int(rows, 1), (int)db_rows_int(rows, 2));
	cr_expect_str_eq(got->str, want, "%s: got %s, want %s", name, got->str, want);
}

Test(warmup, counts_what_arrives_and_what_bounces)
{
	struct base_id domain = warmup_create("a.example"), other = warmup_create("b.example");
	struct base_id email = warmup_send(&domain), second = warmup_send(&domain),
		       others = warmup_send(&other);
	struct base_id stranger = base_id_new();
	struct store_event events[] = {
	    warmup_event_of(&email, EVENT_SENT, TODAY),
	    warmup_event_of(&email, EVENT_DELIVERED, TODAY),
	    warmup_event_of(&email, EVENT_DELIVERED, TODAY + DAY - 1),
	    warmup_event_of(&email, EVENT_BOUNCED, TODAY + DAY),
	    warmup_event_of(&others, EVENT_DELIVERED, TODAY - 1),
	    warmup_event_of(&second, EVENT_DELIVERED, TODAY),
	    warmup_event_of(&second, EVENT_DELAYED, TODAY),
	    warmup_event_of(&second, EVENT_FAILED, TODAY),
	    warmup_event_of(&stranger, EVENT_DELIVERED, TODAY),
	};

	MUST(store_event_insert(fixture->db, events, G_N_ELEMENTS(events), &error));
	expect_days(&domain, "once", "20000 3/0, 20001 0/1, ");
	expect_days(&other, "another", "19999 1/0, ");
	MUST(store_event_insert(fixture->db, events, G_N_ELEMENTS(events), &error));
	expect_days(&domain, "twice", "20000 6/0, 20001 0/2, ");
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM domain_day"), 3, "a row of each");
	MUST(store_domain_remove(fixture->db, &fixture->workspace, &domain, &error));
	expect_days(&domain, "removed", "");
	expect_days(&other, "not removed", "19999 2/0, ");
}

Test(warmup, counts_with_the_events)
{
	struct base_id domain = warmup_create("a.example"), email = warmup_send(&domain);

	test_db_plain(fixture->db, "START TRANSACTION");
	email_event(fixture, &fixture->workspace, &email, 0, EVENT_DELIVERED, TODAY);
	test_db_plain(fixture->db, "ROLLBACK");
	expect_days(&domain, "rolled back", "");
	email_event(fixture, &fixture->workspace, &email, 0, EVENT_DELIVERED, TODAY);
	email_event(fixture, &fixture->workspace, &email, 1, EVENT_BOUNCED, TODAY);
	expect_days(&domain, "committed", "20000 1/1, ");
}

/* More emails than one lookup takes. */
Test(warmup, counts_many_emails_at_once)
{
	static const guint counts[] = {1, 2, 20, 21, 45};
	struct base_id domain = warmup_create("a.example");
	guint sum = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
		g_autofree struct store_event *events = g_new(struct store_event, counts[i]);
		g_autofree char *name = g_strdup_printf("%u emails", counts[i]);
		g_autofree struct base_id *emails = g_new(struct base_id, counts[i]);

		for (guint j = 0; j < counts[i]; j++) {
			emails[j] = warmup_send(&domain);
			events[j] = warmup_event_of(&emails[j], EVENT_DELIVERED, TODAY);
		}
		MUST(store_event_insert(fixture->db, events, counts[i], &error));
		g_autofree char *want = g_strdup_printf("20000 %u/0, ", sum += counts[i]);
		expect_days(&domain, name, want);
	}
}

/* The number of rows read for an event. */
static gint64
warmup_reads(const struct base_id *email, enum store_event_status status)
{
	struct store_event event = warmup_event_of(email, status, TODAY);

	fixture_work(fixture);
	MUST(store_event_insert(fixture->db, &event, 1, &error));
	return fixture_work(fixture).read;
}

Test(warmup, asks_nothing_where_there_is_nothing_to_count)
{
	struct base_id domain = warmup_create("a.example"), email = warmup_send(&domain);

	/* The first time statements are prepared, too, and rows of figures are new. */
	warmup_reads(&email, EVENT_SENT);
	warmup_reads(&email, EVENT_DELAYED);
	warmup_reads(&email, EVENT_DELIVERED);
	gint64 sent = warmup_reads(&email, EVENT_SENT),
	       delayed = warmup_reads(&email, EVENT_DELAYED),
	       delivered = warmup_reads(&email, EVENT_DELIVERED);
	cr_expect(sent < delivered && delayed < delivered, "sent %d, delayed %d, delivered %d",
	    (int)sent, (int)delayed, (int)delivered);
}

Test(warmup, does_not_let_writers_wait_for_each_other)
{
	struct base_id domain = warmup_create("a.example"), email = warmup_send(&domain),
		       second = warmup_send(&domain);
	struct store_event event = warmup_event_of(&email, EVENT_DELIVERED, TODAY);
	struct store_event at_once = warmup_event_of(&second, EVENT_DELIVERED, TODAY);
	AUTO(db) other = fixture_impatient(fixture);

	/* One connection of sixteen shares the row. */
	while (db_connection_id(other) % 16 == db_connection_id(fixture->db) % 16) {
		db_close(other);
		other = fixture_impatient(fixture);
	}
	test_db_plain(fixture->db, "START TRANSACTION");
	MUST(store_event_insert(fixture->db, &event, 1, &error));
	MUST(store_event_insert(other, &at_once, 1, &error));
	test_db_plain(fixture->db, "COMMIT");
	expect_days(&domain, "both", "20000 2/0, ");
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM domain_day"), 2);
}

static void
expect_sum(const struct base_id *domain, const char *name, gint64 now, gint64 days,
    gint64 delivered, gint64 bounced)
{
	struct store_warmup got;

	MUST(store_warmup_sum(fixture->db, domain, now, &got, &error));
	cr_expect(got.days == days && got.delivered == delivered && got.bounced == bounced,
	    "%s: got %d %d %d, want %d %d %d", name, (int)got.days, (int)got.delivered,
	    (int)got.bounced, (int)days, (int)delivered, (int)bounced);
}

Test(warmup, sums_days_of_which_those_that_are_over_become_one_row)
{
	struct base_id domain = warmup_create("a.example"), other = warmup_create("b.example");
	static const char rows[] =
	    "INSERT INTO domain_day (domain_id, day, stripe, workspace_id, delivered, bounced)"
	    " SELECT d.id, 19990 + n.seq, s.seq, d.workspace_id, IF(n.seq = 3, 0, s.seq), 1"
	    " FROM domain d, seq_0_to_9 n, seq_1_to_4 s";

	expect_sum(&domain, "none", TODAY, 0, 0, 0);
	test_db_plain(fixture->db, rows);
	expect_sum(&domain, "today is the last day", TODAY - 1, 9, 90, 40);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM domain_day WHERE day < 19998"),
	    8 + 8 * 4, "one folded, one not");
	cr_expect_eq(
	    fixture_number(fixture, "SELECT COUNT(*) FROM domain_day WHERE day >= 19998"), 16);
	/* A late report. */
	test_db_plain(fixture->db,
	    "INSERT INTO domain_day SELECT domain_id, day, 7, workspace_id, 5, 1 FROM domain_day"
	    " WHERE day = 19991 AND stripe = 0");
	expect_sum(&domain, "later", TODAY + DAY, 9, 95, 41);
	expect_sum(&domain, "again", TODAY + 9 * DAY, 9, 95, 41);
	expect_sum(&other, "the other", TODAY + 9 * DAY, 9, 90, 40);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM domain_day"), 20);
}

static void
expect_due(struct db *db, const char *name, gint64 now, guint limit, guint want)
{
	struct base_id ids[4];
	guint count;

	MUST(store_warmup_due(db, now, limit, ids, &count, &error));
	cr_expect_eq(count, want, "%s: got %u, want %u", name, count, want);
}

Test(warmup, is_looked_at_when_it_is_time)
{
	struct base_id domain = warmup_create("a.example"), other = warmup_create("b.example");
	AUTO(db) another = fixture_impatient(fixture);

	expect_due(fixture->db, "new", 0, 4, 2);
	expect_due(fixture->db, "one at a time", 0, 1, 1);
	MUST(store_warmup_postpone(fixture->db, &domain, 100, &error));
	expect_due(fixture->db, "before", 99, 4, 1);
	expect_due(fixture->db, "then", 100, 4, 2);
	test_db_plain(fixture->db, "START TRANSACTION");
	expect_due(fixture->db, "held", 100, 1, 1);
	expect_due(another, "what is held is passed over", 100, 4, 1);
	test_db_plain(fixture->db, "COMMIT");
	MUST(store_warmup_finish(fixture->db, &other, 200, &error));
	expect_due(fixture->db, "finished", 1000, 4, 1);
}

Test(warmup, ends_the_counting)
{
	struct base_id domain = warmup_create("a.example"), email = warmup_send(&domain);
	struct store_event event = warmup_event_of(&email, EVENT_DELIVERED, TODAY);

	MUST(store_event_insert(fixture->db, &event, 1, &error));
	MUST(store_warmup_finish(fixture->db, &domain, TODAY + 5, &error));
	MUST(store_event_insert(fixture->db, &event, 1, &error));
	expect_days(&domain, "finished", "");
	AUTO(store_domain) got =
	    MUST_GIVE(store_domain_get(fixture->db, &fixture->workspace, &domain, &error));
	cr_expect_eq(got->warmed_up_at, TODAY + 5);
}
