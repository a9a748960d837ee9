/* SPDX-License-Identifier: MIT */
/* Pages of emails: their rows and their cost. */
#include <string.h>

#include "tests/store/emails.h"

#define NOW 1800000000000
#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

PLACE_SUITE(email_list);

static struct base_id
send(const char *const *to)
{
	return email_send(place, &place->workspace, to);
}

/* The addresses of each email's first recipient, joined; *last_r, which may be NULL, is the last
   one's id. */
static char *
list(const struct base_id *workspace, const struct store_email_filter *filter, guint limit,
    struct base_id *last_r)
{
	g_autoptr(GPtrArray) page =
	    MUST_GIVE(store_email_list(place->db, workspace, filter, limit, &error));
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
	};

	email_send(place, &place->other, TO("a@x.org"));
	for (gsize i = 0; i < G_N_ELEMENTS(filters); i++) {
		g_autofree char *got = list(&place->workspace, &filters[i], 10, NULL);

		cr_expect_str_eq(got, "", "filter %zu: got %s", i, got);
	}
}

Test(email_list, shows_what_is_asked_for)
{
	struct base_id a = send(TO("a@x.org", "shared@x.org")), b = send(TO("b@x.org")),
		       c = send(TO("c@x.org", "SHARED@x.org", "shared@x.org"));
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
	    {"by both of different recipients", {.status = EVENT_OPENED, .address = "shared@x.org"},
		9, ""},
	};

	send(TO("d@x.org"));
	email_send(place, &place->other, TO("shared@x.org"));
	email_event(place, &place->workspace, &a, 1, EVENT_SENT, NOW);
	email_event(place, &place->workspace, &b, 0, EVENT_SENT, NOW);
	email_event(place, &place->workspace, &c, 0, EVENT_SENT, NOW);
	email_event(place, &place->workspace, &c, 0, EVENT_OPENED, NOW + 1);
	email_event(place, &place->workspace, &c, 1, EVENT_SENT, NOW);
	email_event(place, &place->workspace, &c, 2, EVENT_SENT, NOW);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got =
		    list(&place->workspace, &cases[i].filter, cases[i].limit, NULL);

		cr_expect_str_eq(got, cases[i].want, "%s: got \"%s\", want \"%s\"", cases[i].name,
		    got, cases[i].want);
	}
}

Test(email_list, tells_all_recipients_and_the_last_event)
{
	AUTO(store_email) email = email_new(&place->workspace, TO("a@x.org", "b@x.org"));

	store_email_add_recipient(email, RECIPIENT_BCC, g_strdup("c@x.org"));
	email->scheduled_at = NOW;
	email_store(place, email);
	email_event(place, &place->workspace, &email->id, 2, EVENT_SENT, NOW);
	email_event(place, &place->workspace, &email->id, 1, EVENT_SENT, NOW + 1);
	struct store_event click = {.workspace_id = place->workspace,
	    .email_id = email->id,
	    .recipient = 1,
	    .status = EVENT_CLICKED,
	    .timestamp = NOW + 1,
	    .ip = "192.0.2.1",
	    .user_agent = "Browser",
	    .link = "https://x.org/"};
	MUST(store_event_insert(place->db, &click, 1, &error));
	MUST(
	    store_email_sent(place->db, &(struct store_email_sent){email->id, NOW + 2}, 1, &error));
	g_autoptr(GPtrArray) page = MUST_GIVE(store_email_list(
	    place->db, &place->workspace, &(struct store_email_filter){0}, 10, &error));
	cr_assert_eq(page->len, 1);
	const struct store_email *got = page->pdata[0];
	cr_expect_str_eq(got->to, "a@x.org, b@x.org");
	cr_expect_eq(got->type, EMAIL_TRANSACTIONAL);
	cr_expect_eq(got->created, email->created);
	cr_expect_eq(got->scheduled_at, NOW);
	cr_expect_eq(got->sent, NOW + 2);
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

/* The older half belongs to our workspace, with two recipients each; every fifth was sent, the
   rest failed. */
static void
fill(void)
{
	test_db_plain(place->db, "START TRANSACTION");
	for (guint i = 0; i < MANY; i++) {
		const struct base_id *workspace = i < MANY / 2 ? &place->workspace : &place->other;
		struct base_id id =
		    email_send_within(place, workspace, TO("all@x.org", "too@x.org"));

		for (guint r = 0; r < 2; r++)
			email_event(
			    place, workspace, &id, r, i % 5 == 0 ? EVENT_SENT : EVENT_FAILED, NOW);
	}
	test_db_plain(place->db, "COMMIT");
	test_db_plain(place->db, "ANALYZE TABLE email, recipient, event");
}

/* A page reads, however many emails there are, each row of its index once, the email, and for
   each of its two recipients a row and an event. */
Test(email_list, costs_what_it_shows)
{
	static const struct {
		const char *name;
		struct store_email_filter filter;
	} cases[] = {
	    {"all", {.status = EVENT_NONE}},
	    {"by address", {.address = "all@x.org"}},
	    {"by status", {.status = EVENT_SENT}},
	    {"by both", {.status = EVENT_FAILED, .address = "all@x.org"}},
	};

	fill();
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_email_filter filter = cases[i].filter;
		struct base_id last;

		for (guint pages = 0; pages < 2; pages++) {
			g_free(list(&place->workspace, &filter, PAGE,
			    &last)); /* the first call prepares the statements */
			place_work(place);
			g_free(list(&place->workspace, &filter, PAGE, &last));
			struct place_work work = place_work(place);
			cr_expect_leq(work.read, 12 * PAGE, "%s, page %u: read %d rows",
			    cases[i].name, pages, (int)work.read);
			cr_expect_eq(work.sorted, 0, "%s, page %u: sorted %d rows", cases[i].name,
			    pages, (int)work.sorted);
			filter.before = &last;
		}
	}
}
