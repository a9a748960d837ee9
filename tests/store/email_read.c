/* SPDX-License-Identifier: MIT */
/* Pages of emails: their rows and their cost. */
#include <string.h>

#include "base/clock.h"
#include "base/limits/list.h"
#include "db/note.h"
#include "store/common/listing.h"
#include "store/common/schema.h"
#include "tests/store/emails.h"

#define NOW 1800000000000
#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

FIXTURE_SUITE(email_list);

static struct base_id
email_read_send(const char *const *to)
{
	return email_send(fixture, &fixture->workspace, to);
}

/* The addresses of each email's first recipient, joined; *last_r, which may be NULL, is the last
   one's id. */
static char *
email_read_list(const struct base_id *workspace, const struct store_email_filter *filter,
    guint limit, struct base_id *last_r)
{
	g_autoptr(GPtrArray) page =
	    MUST_GIVE(store_email_list(fixture->db, workspace, filter, limit, &error));
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < page->len; i++) {
		const struct store_email *email = page->pdata[i];
		const struct store_email_recipient *first = email->recipients->pdata[0];

		cr_expect(base_id_equal(&email->workspace_id, workspace));
		cr_expect_str_eq(email->subject, "Hello");
		g_string_append_printf(names, "%s%s", i > 0 ? " " : "", first->address);
		if (last_r)
			*last_r = email->id;
	}
	return g_string_free(names, FALSE);
}

Test(email_list, is_empty_at_first)
{
	static const struct store_email_filter filters[] = {
	    {.status = EVENT_NONE},
	    {.status = EVENT_SENT},
	    {.address = "a@x.org"},
	    {.address = "grüße@x.org"},
	    {.status = EVENT_SENT, .address = "a@x.org"},
	    {.sender = "a@example.com"},
	    {.sender = "grüße@x.org"},
	    {.tag = "a"},
	    {.tag = "a", .value = "b", .sender = "a@example.com", .status = EVENT_SENT},
	};

	email_send(fixture, &fixture->other, TO("a@x.org"));
	for (gsize i = 0; i < G_N_ELEMENTS(filters); i++) {
		g_autofree char *got = email_read_list(&fixture->workspace, &filters[i], 10, NULL);

		cr_expect_str_eq(got, "", "filter %zu: got %s", i, got);
	}
}

static void
email_read_expect_shown(void)
{
	struct base_id a = email_read_send(TO("a@x.org", "shared@x.org")),
		       b = email_read_send(TO("b@x.org")),
		       c = email_read_send(TO("c@x.org", "SHARED@x.org", "shared@x.org"));
	const struct {
		const char *name;
		struct store_email_filter filter;
		guint limit;
		const char *want;
	} cases[] = {
	    {"all", {.status = EVENT_NONE}, 9, "d@x.org c@x.org b@x.org a@x.org"},
	    {"two", {.status = EVENT_NONE}, 2, "d@x.org c@x.org"},
	    {"before b", {.before = &b}, 9, "a@x.org"},
	    {"before a", {.before = &a}, 9, ""},
	    {"before any", {.before = &(struct base_id){{0}}}, 9, ""},
	    {"by address", {.address = "shared@x.org"}, 9, "c@x.org a@x.org"},
	    {"by address in another case", {.address = "Shared@X.org"}, 1, "c@x.org"},
	    {"by address, before c", {.address = "shared@x.org", .before = &c}, 9, "a@x.org"},
	    {"by an address of nobody", {.address = "z@x.org"}, 9, ""},
	    {"by status", {.status = EVENT_SENT}, 9, "c@x.org b@x.org a@x.org"},
	    {"by status, one", {.status = EVENT_SENT}, 1, "c@x.org"},
	    {"by status, before c", {.status = EVENT_SENT, .before = &c}, 9, "b@x.org a@x.org"},
	    {"by a later status", {.status = EVENT_OPENED}, 9, "c@x.org"},
	    {"by status of nobody", {.status = EVENT_FAILED}, 9, ""},
	    {"by both", {.status = EVENT_SENT, .address = "shared@x.org"}, 9, "c@x.org a@x.org"},
	    {"by both, before c", {.status = EVENT_SENT, .address = "shared@x.org", .before = &c},
		9, "a@x.org"},
	    {"by both, not sent yet", {.status = EVENT_SENT, .address = "d@x.org"}, 9, ""},
	    {"by both of different recipients", {.status = EVENT_OPENED, .address = "shared@x.org"},
		9, ""},
	};

	email_read_send(TO("d@x.org"));
	email_send(fixture, &fixture->other, TO("shared@x.org"));
	email_event(fixture, &fixture->workspace, &a, 1, EVENT_SENT, NOW);
	email_event(fixture, &fixture->workspace, &b, 0, EVENT_SENT, NOW);
	email_event(fixture, &fixture->workspace, &c, 0, EVENT_SENT, NOW);
	email_event(fixture, &fixture->workspace, &c, 0, EVENT_OPENED, NOW + 1);
	email_event(fixture, &fixture->workspace, &c, 1, EVENT_SENT, NOW);
	email_event(fixture, &fixture->workspace, &c, 2, EVENT_SENT, NOW);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got =
		    email_read_list(&fixture->workspace, &cases[i].filter, cases[i].limit, NULL);

		cr_expect_str_eq(got, cases[i].want, "%s: got \"%s\", want \"%s\"", cases[i].name,
		    got, cases[i].want);
	}
}

Test(email_list, shows_what_is_asked_for)
{
	email_read_expect_shown();
}

/* Makes the recipients as they are until "schema migrate --finish". */
static void
email_read_with_key_of_before(void)
{
	*db_note(fixture->db) = (struct db_note){0, 0};
	test_db_plain(fixture->db, "ALTER TABLE recipient ADD COLUMN listed_status TINYINT"
				   " GENERATED ALWAYS AS (COALESCE(status, 1)) VIRTUAL");
	test_db_plain(fixture->db,
	    "ALTER TABLE recipient ADD INDEX listed (workspace_id, listed_status, email_id)");
	test_db_plain(fixture->db, "DELETE FROM schema_version WHERE version IN (498, 499)");
	test_db_plain(fixture->db, "TRUNCATE recipient_status");
}

Test(email_list, shows_the_same_with_the_key_of_before)
{
	email_read_with_key_of_before();
	email_read_expect_shown();
}

/* A program of the version before writes no rows. This one does not know yet that the key is gone.
 */
Test(email_list, goes_on_when_the_key_of_before_is_taken_away)
{
	const struct store_email_filter filters[] = {{.status = EVENT_OPENED},
	    {.status = EVENT_SENT}, {.status = EVENT_OPENED, .address = "a@x.org"}};
	const char *const wants[] = {"b@x.org a@x.org", "c@x.org", "a@x.org"};
	const char *const names[] = {"a@x.org", "b@x.org", "c@x.org"};
	struct db *other = test_db_open(fixture->settings);

	email_read_with_key_of_before();
	for (guint i = 0; i < 3; i++) {
		struct base_id id = email_read_send(TO(names[i]));
		email_event(fixture, &fixture->workspace, &id, 0, i < 2 ? EVENT_OPENED : EVENT_SENT,
		    NOW + i);
	}
	test_db_plain(fixture->db, "TRUNCATE recipient_status");
	for (guint round = 0; round < 2; round++) {
		for (gsize i = 0; i < G_N_ELEMENTS(filters); i++) {
			g_autofree char *got =
			    email_read_list(&fixture->workspace, &filters[i], 10, NULL);

			cr_expect_str_eq(
			    got, wants[i], "round %u, filter %zu: got %s", round, i, got);
		}
		MUST(store_schema_migrate(other, NULL, NULL, &error));
		cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM recipient_status"), 2);
	}
	db_close(other);
}

/* Stores an email from this sender with these tags (JSON), made at this time. */
static struct base_id
email_read_send_from(const char *sender, const char *tags, const char *to, gint64 time)
{
	AUTO(store_email) email = email_new(&fixture->workspace, TO(to));

	g_free(email->sender);
	email->sender = g_strdup(sender);
	email->tags = g_strdup(tags);
	email->id = base_id_at(time);
	email_store(fixture, email);
	return email->id;
}

static void
expect_filtered(const char *name, struct store_email_filter filter, const char *want)
{
	g_autofree char *got = email_read_list(&fixture->workspace, &filter, 9, NULL);

	cr_expect_str_eq(got, want, "%s: got \"%s\", want \"%s\"", name, got, want);
}

/* Emails of b@x.org to e@x.org, a second apart. */
static void
send_four(void)
{
	struct base_id b =
	    email_read_send_from("A <a@example.com>", "{\"n\":\"1\"}", "b@x.org", NOW);

	email_read_send_from("\"<z@x.org> \303\274\" <A@Example.com>",
	    "{\"n\":\"2\",\"\\\"m.$[*]\":\"\"}", "c@x.org", NOW + 1000);
	email_read_send_from("z@example.com", "{\"n\":\"1:2\",\"N\":\"1\"}", "d@x.org", NOW + 2000);
	email_read_send_from("a@example.com", NULL, "e@x.org", NOW + 3000);
	email_event(fixture, &fixture->workspace, &b, 0, EVENT_SENT, NOW);
}

Test(email_list, shows_the_sender_s)
{
	gint64 second = NOW + 1000;

	send_four();
	expect_filtered("sender", (struct store_email_filter){.sender = "a@EXAMPLE.com"},
	    "e@x.org c@x.org b@x.org");
	expect_filtered("in a name", (struct store_email_filter){.sender = "z@x.org"}, "");
	expect_filtered(
	    "without a name", (struct store_email_filter){.sender = "z@example.com"}, "d@x.org");
	expect_filtered("since",
	    (struct store_email_filter){.sender = "a@example.com", .since = &second},
	    "e@x.org c@x.org");
}

/* The tags as they are written, and as the schema makes them of those of earlier versions. */
Test(email_list, shows_what_has_a_tag)
{
	send_four();
	for (guint round = 0; round < 2; round++) {
		expect_filtered(
		    "name", (struct store_email_filter){.tag = "n"}, "d@x.org c@x.org b@x.org");
		expect_filtered("other case", (struct store_email_filter){.tag = "N"}, "d@x.org");
		expect_filtered(
		    "odd name", (struct store_email_filter){.tag = "\"m.$[*]"}, "c@x.org");
		expect_filtered("no such name", (struct store_email_filter){.tag = "n "}, "");
		expect_filtered(
		    "value", (struct store_email_filter){.tag = "n", .value = "1"}, "b@x.org");
		expect_filtered("value with a colon",
		    (struct store_email_filter){.tag = "n", .value = "1:2"}, "d@x.org");
		expect_filtered("empty value",
		    (struct store_email_filter){.tag = "\"m.$[*]", .value = ""}, "c@x.org");
		expect_filtered(
		    "other value", (struct store_email_filter){.tag = "n", .value = "3"}, "");
		test_db_plain(fixture->db, "DELETE FROM email_tag");
		test_db_plain(fixture->db, "DELETE FROM schema_version WHERE version = 87");
		MUST(store_schema_migrate(fixture->db, NULL, NULL, &error));
	}
}

Test(email_list, shows_what_is_of_a_time)
{
	gint64 first = NOW, second = NOW + 1000, later = NOW + 1001, never = -1;
	struct base_id before = base_id_floor(NOW + 2000);

	send_four();
	expect_filtered(
	    "since", (struct store_email_filter){.since = &second}, "e@x.org d@x.org c@x.org");
	expect_filtered("past it", (struct store_email_filter){.since = &later}, "e@x.org d@x.org");
	expect_filtered("until", (struct store_email_filter){.until = &second}, "b@x.org");
	expect_filtered("past it", (struct store_email_filter){.until = &later}, "c@x.org b@x.org");
	expect_filtered(
	    "between", (struct store_email_filter){.since = &first, .until = &second}, "b@x.org");
	expect_filtered("never", (struct store_email_filter){.until = &never}, "");
	expect_filtered("always", (struct store_email_filter){.since = &never},
	    "e@x.org d@x.org c@x.org b@x.org");
	expect_filtered("before an id and until",
	    (struct store_email_filter){.until = &second, .before = &before}, "b@x.org");
	expect_filtered("since and before an id",
	    (struct store_email_filter){.since = &second, .before = &before}, "c@x.org");
}

Test(email_list, shows_what_fits_all_filters)
{
	static const char *const senders[] = {NULL, "a@example.com", "z@example.com"},
				 *const tags[] = {NULL, "n", "N"},
				 *const values[] = {NULL, "1", "1:2"},
				 *const addresses[] = {NULL, "b@x.org", "d@x.org"};
	static const enum store_event_status statuses[] = {EVENT_NONE, EVENT_SENT};

	send_four();
	for (guint i = 0; i < 3 * 3 * 3 * 3 * 2; i++) {
		struct store_email_filter filter = {
		    .sender = senders[i % 3],
		    .tag = tags[i / 3 % 3],
		    .value = values[i / 9 % 3],
		    .address = addresses[i / 27 % 3],
		    .status = statuses[i / 81],
		};
		const char *s = filter.sender, *t = filter.tag, *v = filter.value,
			   *a = filter.address;
		g_autoptr(GString) want = g_string_new(NULL);
		g_autofree char *name = g_strdup_printf("case %u", i);

		if (v && !t)
			continue;
		for (guint e = 4; e-- > 0;) {
			static const struct {
				const char *sender, *n, *N, *address;
				bool sent;
			} emails[] = {
			    {"a@example.com", "1", NULL, "b@x.org", true},
			    {"a@example.com", "2", NULL, "c@x.org", false},
			    {"z@example.com", "1:2", "1", "d@x.org", false},
			    {"a@example.com", NULL, NULL, "e@x.org", false},
			};
			const char *tag = !t ? "" : *t == 'n' ? emails[e].n : emails[e].N;

			if ((!s || strcmp(s, emails[e].sender) == 0) && tag &&
			    (!v || strcmp(v, tag) == 0) &&
			    (!a || strcmp(a, emails[e].address) == 0) &&
			    (filter.status == EVENT_NONE || emails[e].sent))
				g_string_append_printf(
				    want, "%s%s", want->len > 0 ? " " : "", emails[e].address);
		}
		expect_filtered(name, filter, want->str);
	}
}

Test(email_list, goes_on_in_both_directions)
{
	const struct base_id ids[] = {email_read_send(TO("a@x.org")),
	    email_read_send(TO("b@x.org")), email_read_send(TO("c@x.org")),
	    email_read_send(TO("d@x.org"))};

	email_send(fixture, &fixture->other, TO("e@x.org"));
	const struct {
		const char *name;
		struct store_email_filter filter;
		guint limit;
		const char *want;
	} cases[] = {
	    {"older", {.before = &ids[3]}, 2, "c@x.org b@x.org"},
	    {"newer, the nearest ones", {.after = &ids[0]}, 2, "c@x.org b@x.org"},
	    {"newer, all", {.after = &ids[1]}, 10, "d@x.org c@x.org"},
	    {"newer than the newest", {.after = &ids[3]}, 10, ""},
	    {"between", {.after = &ids[0], .before = &ids[3]}, 10, "c@x.org b@x.org"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got =
		    email_read_list(&fixture->workspace, &cases[i].filter, cases[i].limit, NULL);

		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].name, got);
	}
	g_autoptr(GPtrArray) page = MUST_GIVE(store_email_list(
	    fixture->db, &fixture->workspace, &(struct store_email_filter){0}, 1, &error));
	const struct store_email *newest = page->pdata[0];
	cr_expect_str_eq(newest->sender, "a@example.com");
	cr_expect_null(newest->cc);
}

#define PARTS 400

/* Parts of a broadcast from this time on, each with 100 recipients that got it, beside an email. */
static void
add_parts(gint64 time)
{
	struct base_id first = base_id_floor(time);
	g_autoptr(GString) begin = g_string_new(NULL);

	for (guint i = 0; i < 6; i++)
		g_string_append_printf(begin, "%02x", first.bytes[i]);
	g_autofree char *parts = g_strdup_printf(
	    "INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, subject,"
	    " created) SELECT UNHEX(CONCAT('%s', LPAD(HEX(s.seq), 20, '0'))), e.workspace_id,"
	    " e.domain_id, 3, e.sender, '', e.subject, 1 FROM seq_1_to_%d s JOIN"
	    " (SELECT * FROM email LIMIT 1) e",
	    begin->str, PARTS);
	test_db_plain(fixture->db, parts);
	test_db_plain(fixture->db,
	    "INSERT INTO recipient (email_id, number, workspace_id, kind, address, status,"
	    " status_at) SELECT e.id, s.seq, e.workspace_id, 1, CONCAT('p', s.seq, '@x.org'), 2, 1"
	    " FROM email e JOIN seq_0_to_99 s WHERE e.type = 3");
}

/* However many people a broadcast had, a list passes over its parts. */
Test(email_list, passes_over_the_parts_of_broadcasts)
{
	const struct store_email_filter filter = {.status = EVENT_DELIVERED};
	gint64 times[] = {NOW, NOW + 1, NOW + 9};
	const char *const names[] = {"a@x.org", "b@x.org", "c@x.org"};

	for (guint i = 0; i < 3; i++) {
		base_clock_set(times[i]);
		struct base_id id = email_read_send(TO(names[i]));
		email_event(fixture, &fixture->workspace, &id, 0, EVENT_DELIVERED, times[i]);
	}
	add_parts(NOW + 5);
	fixture_work(fixture);
	g_autofree char *all = email_read_list(&fixture->workspace, &filter, 10, NULL);
	gint64 read = fixture_work(fixture).read;
	cr_expect_str_eq(all, "c@x.org b@x.org a@x.org");
	cr_expect_lt(read, 5000, "%d rows read", (int)read);
	g_autofree char *first = email_read_list(&fixture->workspace, &filter, 1, NULL);
	cr_expect_str_eq(first, "c@x.org");
	const struct store_email_filter more = {
	    .status = EVENT_DELIVERED, .sender = "a@example.com"};
	g_autofree char *among = email_read_list(&fixture->workspace, &more, 2, NULL);
	cr_expect_str_eq(among, "c@x.org b@x.org");
}

/* As many other emails as a page of this filter looks at, newer than the one it looks for. */
static void
expect_looked(const struct store_email_filter filter)
{
	struct store_rest rest;
	struct base_id oldest;

	base_clock_set(NOW);
	oldest = email_read_send(TO("a@x.org"));
	email_event(fixture, &fixture->workspace, &oldest, 0, EVENT_SENT, NOW);
	for (guint count = LIMIT_EMAILS_LOOKED - 1; count <= LIMIT_EMAILS_LOOKED; count++) {
		bool fits = count < LIMIT_EMAILS_LOOKED;
		g_autofree char *others = g_strdup_printf(
		    "INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list,"
		    " subject, created) SELECT UNHEX(CONCAT('ff', LPAD(HEX(s.seq), 30, '0'))),"
		    " e.workspace_id, e.domain_id, 2, e.sender, '', e.subject, 1"
		    " FROM seq_%u_to_%u s JOIN (SELECT * FROM email WHERE type = 1 LIMIT 1) e",
		    fits ? 1 : count, count);
		test_db_plain(fixture->db, others);
		g_autoptr(GPtrArray) emails = MUST_GIVE(store_email_list_of(
		    fixture->db, &fixture->workspace, &filter, 2, &rest, &error));
		cr_expect_eq(emails->len, fits ? 1u : 0u, "%u others: %u", count, emails->len);
		cr_expect_eq(rest.is_any, !fits, "%u others", count);
	}
	struct store_email_filter more = filter;
	more.before = &rest.id;
	g_autoptr(GPtrArray) page = MUST_GIVE(
	    store_email_list_of(fixture->db, &fixture->workspace, &more, 2, &rest, &error));
	cr_assert_eq(page->len, 1u);
	cr_expect(base_id_equal(&((struct store_email *)page->pdata[0])->id, &oldest));
	cr_expect_not(rest.is_any);
}

Test(email_list, looks_at_so_many_for_a_type)
{
	expect_looked((struct store_email_filter){.type = EMAIL_TRANSACTIONAL});
}

/* Common statuses are found through time. */
Test(email_list, looks_at_so_many_for_a_common_status)
{
	expect_looked((struct store_email_filter){.status = EVENT_SENT});
}

/* Emails of a sender without a tag, each opened, with ids that end in first to last, newer than
   all others. */
static void
send_opened(guint first, guint last)
{
	g_autofree char *emails = g_strdup_printf(
	    "INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, subject,"
	    " created) SELECT UNHEX(CONCAT('ff', LPAD(HEX(s.seq), 30, '0'))), e.workspace_id,"
	    " e.domain_id, 1, 'a@example.com', '', e.subject, 1 FROM seq_%u_to_%u s"
	    " JOIN (SELECT * FROM email WHERE tags IS NOT NULL LIMIT 1) e",
	    first, last);
	g_autofree char *recipients = g_strdup_printf(
	    "INSERT INTO recipient (email_id, number, workspace_id, kind, address, status,"
	    " status_at) SELECT id, 0, workspace_id, 1, 'b@x.org', " EVENT_OPENED_SQL ", 1"
	    " FROM email WHERE id BETWEEN UNHEX(CONCAT('ff', LPAD(HEX(%u), 30, '0')))"
	    " AND UNHEX(CONCAT('ff', LPAD(HEX(%u), 30, '0')))",
	    first, last);

	test_db_plain(fixture->db, emails);
	test_db_plain(fixture->db, recipients);
	test_db_plain(fixture->db,
	    "INSERT IGNORE INTO recipient_status SELECT workspace_id, status, email_id, number"
	    " FROM recipient WHERE status = " EVENT_OPENED_SQL);
}

/* Emails of another sender with a tag, older than all others: so many that it is as good a filter
   as those of send_opened. */
static void
send_tagged(void)
{
	test_db_plain(fixture->db,
	    "INSERT INTO email (id, workspace_id, domain_id, type, sender, to_list, subject,"
	    " tags, created) SELECT UNHEX(LPAD(HEX(s.seq), 32, '0')), e.workspace_id,"
	    " e.domain_id, 1, 'z@example.com', '', e.subject, e.tags, 1 FROM seq_1_to_1000 s"
	    " JOIN (SELECT * FROM email LIMIT 1) e");
	test_db_plain(fixture->db,
	    "INSERT INTO email_tag (email_id, name, workspace_id, value)"
	    " SELECT id, 'n', workspace_id, '1' FROM email WHERE sender = 'z@example.com'");
}

/* The only email that fits has as many newer ones before it as a page looks at, then one more. */
Test(email_list, looks_at_so_many_for_several_filters)
{
	static const struct {
		const char *name;
		struct store_email_filter filter;
	} cases[] = {
	    {"sender and tag", {.sender = "a@example.com", .tag = "n"}},
	    {"status and tag", {.status = EVENT_OPENED, .tag = "n", .value = "1"}},
	};
	AUTO(store_email) email = email_new(&fixture->workspace, TO("a@x.org"));

	base_clock_set(NOW);
	email->tags = g_strdup("{\"n\":\"1\"}");
	email_store(fixture, email);
	email_event(fixture, &fixture->workspace, &email->id, 0, EVENT_OPENED, NOW);
	send_tagged();
	for (guint count = LIMIT_EMAILS_LOOKED - 1; count <= LIMIT_EMAILS_LOOKED; count++) {
		bool fits = count < LIMIT_EMAILS_LOOKED;

		send_opened(fits ? 1 : count, count);
		for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
			struct store_email_filter filter = cases[i].filter;
			struct store_rest rest;
			g_autoptr(GPtrArray) page = MUST_GIVE(store_email_list_of(
			    fixture->db, &fixture->workspace, &filter, 2, &rest, &error));

			cr_expect_eq(page->len, fits ? 1u : 0u, "%s, %u others: %u", cases[i].name,
			    count, page->len);
			cr_expect_eq(rest.is_any, !fits, "%s, %u others", cases[i].name, count);
			if (fits)
				continue;
			filter.before = &rest.id;
			g_autoptr(GPtrArray) next = MUST_GIVE(store_email_list_of(
			    fixture->db, &fixture->workspace, &filter, 2, &rest, &error));
			cr_assert_eq(next->len, 1u, "%s", cases[i].name);
			cr_expect(
			    base_id_equal(&((struct store_email *)next->pdata[0])->id, &email->id));
			cr_expect_not(rest.is_any, "%s", cases[i].name);
		}
	}
}

Test(email_list, tells_all_recipients_and_the_last_event)
{
	AUTO(store_email) email = email_new(&fixture->workspace, TO("a@x.org", "b@x.org"));

	store_email_add_recipient(email, RECIPIENT_BCC, g_strdup("c@x.org"));
	email->scheduled_at = NOW;
	email_store(fixture, email);
	email_event(fixture, &fixture->workspace, &email->id, 2, EVENT_SENT, NOW);
	email_event(fixture, &fixture->workspace, &email->id, 1, EVENT_SENT, NOW + 1);
	struct store_event click = {.workspace_id = fixture->workspace,
	    .email_id = email->id,
	    .recipient = 1,
	    .status = EVENT_CLICKED,
	    .timestamp = NOW + 1,
	    .ip = "192.0.2.1",
	    .user_agent = "Browser",
	    .link = "https://x.org/"};
	MUST(store_event_insert(fixture->db, &click, 1, &error));
	g_autoptr(GPtrArray) page = MUST_GIVE(store_email_list(
	    fixture->db, &fixture->workspace, &(struct store_email_filter){0}, 10, &error));
	cr_assert_eq(page->len, 1);
	const struct store_email *got = page->pdata[0];
	cr_expect_str_eq(got->to, "a@x.org, b@x.org");
	cr_expect_eq(got->type, EMAIL_TRANSACTIONAL);
	cr_expect_eq(got->created, email->created);
	cr_expect_eq(got->scheduled_at, NOW);
	cr_expect_eq(got->sent, NOW);
	cr_assert_eq(got->recipients->len, 3);
	static const struct {
		enum store_email_recipient_kind kind;
		const char *address;
		enum store_event_status status;
		gint64 at;
	} want[] = {
	    {RECIPIENT_TO, "a@x.org", EVENT_NONE, 0},
	    {RECIPIENT_TO, "b@x.org", EVENT_CLICKED, NOW + 1},
	    {RECIPIENT_BCC, "c@x.org", EVENT_SENT, NOW},
	};
	for (guint i = 0; i < 3; i++) {
		const struct store_email_recipient *r = got->recipients->pdata[i];

		cr_expect_eq(r->kind, want[i].kind, "recipient %u", i);
		cr_expect_str_eq(r->address, want[i].address, "recipient %u", i);
		cr_expect_eq(r->status, want[i].status, "recipient %u", i);
		cr_expect_eq(r->status_at, want[i].at, "recipient %u", i);
	}
	const struct store_event *last = got->last_event;
	cr_assert_not_null(last);
	cr_expect(base_id_equal(&last->id, &click.id));
	cr_expect_eq(last->recipient, 1);
	cr_expect_eq(last->status, EVENT_CLICKED);
	cr_expect_eq(last->timestamp, NOW + 1);
	cr_expect_str_eq(last->ip, "192.0.2.1");
	cr_expect_str_eq(last->user_agent, "Browser");
	cr_expect_str_eq(last->link, "https://x.org/");
}

#define MANY 500
#define PAGE 10

/* The body of a transaction. */
static bool
email_read_fill_all(struct db *db, void *unused, GError **failure)
{
	for (guint i = 0; i < MANY; i++) {
		const struct base_id *workspace =
		    i < MANY / 2 ? &fixture->workspace : &fixture->other;
		AUTO(store_email) email = email_new(workspace, TO("all@x.org", "too@x.org"));
		struct base_id id = email->id;

		email->tags =
		    g_strdup_printf("{\"all\":\"1\",\"number\":\"%u\",\"fifth\":\"%u\"}", i, i % 5);
		MUST(store_email_insert(db, (const struct store_email *const *)&email, 1, &error));

		for (guint r = 0; r < 2; r++)
			email_event(fixture, workspace, &id, r,
			    i % 5 == 0 ? EVENT_SENT : EVENT_FAILED, NOW);
	}
	return true;
}

/* The older half belongs to our workspace, with two recipients each; every fifth was sent, the
   rest failed. */
static void
email_read_fill(void)
{
	MUST(db_transact(fixture->db, email_read_fill_all, NULL, &error));
	test_db_plain(fixture->db, "ANALYZE TABLE email, email_tag, recipient, event");
}

/* A page reads, however many emails there are, each row of its index once, the email, and for
   each of its two recipients a row and an event. */
static void
email_read_expect_cost(void)
{
	static const struct {
		const char *name;
		struct store_email_filter filter;
		guint most; /* for each email that it shows */
	} cases[] = {
	    {"all", {.status = EVENT_NONE}, 13},
	    {"by address", {.address = "all@x.org"}, 13},
	    /* Statuses look ahead, for parts of broadcasts, and at the recipient of each row. */
	    {"by status", {.status = EVENT_FAILED}, 22},
	    {"by both", {.status = EVENT_FAILED, .address = "all@x.org"}, 20},
	    /* Found through time: every fifth of these is sent. */
	    {"by common status", {.status = EVENT_SENT}, 100},
	    {"by sender", {.sender = "a@example.com"}, 13},
	    {"by tag", {.tag = "all"}, 13},
	    {"by value", {.tag = "fifth", .value = "2"}, 13},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_email_filter filter = cases[i].filter;
		struct base_id last;

		for (guint pages = 0; pages < 2; pages++) {
			g_free(email_read_list(&fixture->workspace, &filter, PAGE,
			    &last)); /* the first call prepares the statements */
			fixture_work(fixture);
			g_free(email_read_list(&fixture->workspace, &filter, PAGE, &last));
			struct fixture_work work = fixture_work(fixture);
			cr_expect_leq(work.read, cases[i].most * PAGE, "%s, page %u: read %d rows",
			    cases[i].name, pages, (int)work.read);
			cr_expect_eq(work.sorted, 0, "%s, page %u: sorted %d rows", cases[i].name,
			    pages, (int)work.sorted);
			filter.before = &last;
		}
	}
}

Test(email_list, costs_what_it_shows)
{
	email_read_fill();
	email_read_expect_cost();
}

/* Until the last step of "schema migrate --finish" is taken, the primary key is the id alone. */
Test(email_list, costs_the_same_with_the_key_of_before)
{
	test_db_plain(fixture->db, "ALTER TABLE email DROP PRIMARY KEY, ADD PRIMARY KEY (id),"
				   " ADD KEY workspace (workspace_id, id)");
	email_read_fill();
	email_read_expect_cost();
}

/* If there are several filters, the one that finds the fewest rows leads. A row of its index costs
   at most one row of each other filter; each filter is counted before. */
Test(email_list, costs_what_the_rarest_filter_finds)
{
	static const struct {
		const char *name;
		struct store_email_filter filter;
	} cases[] = {
	    {"address and tag", {.address = "all@x.org", .tag = "number", .value = "7"}},
	    {"status and tag", {.status = EVENT_FAILED, .tag = "number", .value = "7"}},
	    {"sender and tag", {.sender = "a@example.com", .tag = "number", .value = "7"}},
	    {"all", {.sender = "a@example.com",
			.tag = "number",
			.value = "7",
			.address = "too@x.org",
			.status = EVENT_FAILED}},
	    {"sender of nothing", {.sender = "b@example.com", .tag = "all"}},
	};

	email_read_fill();
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_free(email_read_list(&fixture->workspace, &cases[i].filter, PAGE, NULL));
		fixture_work(fixture);
		g_free(email_read_list(&fixture->workspace, &cases[i].filter, PAGE, NULL));
		struct fixture_work work = fixture_work(fixture);
		cr_expect_leq(
		    work.read, 5 * MANY / 2, "%s: read %d rows", cases[i].name, (int)work.read);
	}
}
