/* SPDX-License-Identifier: MIT */
/* Searches of people, contacts, suppressions and emails, and the statuses of contacts. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/audience.h"
#include "tests/http/email.h"
#include "tests/support/db.h"

FIXTURE_SUITE(search, 900);

#define WRONG "{'message':'search must have 2 to 100 characters'}"
#define TEN "aaaaaaaaaa"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define UMLAUTS "%C3%A4%C3%A4%C3%A4%C3%A4%C3%A4%C3%A4%C3%A4%C3%A4%C3%A4%C3%A4"

/* People and their audience. */
static const struct {
	const char *email, *first, *last;
} people[] = {
    {"Ada.King@x.org", "Ada", "Lovelace"},
    {"grace@navy.org", "Grace Brewster", "Hopper"},
    {"ada@ada.org", "Ada", "Ada"},
    {"mary@b\xc3\xbc"
     "cher.example",
	"M\xc3\xa4ry", "O'Neil_x"},
    {"100%@x.org", "100%", NULL},
    {"none@x.org", NULL, NULL},
    {"lov@x.org", NULL, "Lover"},
};

static char *
search_fill(void)
{
	char *audience = audience_new(fixture, "News");

	for (gsize i = 0; i < G_N_ELEMENTS(people); i++) {
		g_autofree char *first =
		    people[i].first ? g_strdup_printf(",\"first_name\":\"%s\"", people[i].first)
				    : g_strdup("");
		g_autofree char *last =
		    people[i].last ? g_strdup_printf(",\"last_name\":\"%s\"", people[i].last)
				   : g_strdup("");
		g_autofree char *body =
		    g_strdup_printf("{\"email\":\"%s\"%s%s}", people[i].email, first, last);
		g_autofree char *path = g_strdup_printf("/v1/audiences/%s/contacts", audience);
		g_autoptr(GBytes) bytes = g_bytes_new(body, strlen(body));
		const struct exchange exchange = {
		    people[i].email, "POST", path, NULL, 200, .bytes = bytes};
		AUTO(answer) answer = exchange_expect(fixture, &exchange);

		exchange_next_moment();
	}
	return audience;
}

/* The places of those whom a list shows, in its order, as letters: "a" is the first of people. */
static char *
letters(const char *path, const char *collection)
{
	const struct exchange exchange = {path, "GET", path, NULL, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const struct json *rows = answer_at(answer, collection);
	GString *found = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(rows); i++) {
		const char *email =
		    json_string(json_member_get(json_array_at(rows, i), "email"), NULL);

		for (gsize k = 0; k < G_N_ELEMENTS(people); k++)
			if (strcmp(email, people[k].email) == 0)
				g_string_append_c(found, (char)('a' + k));
	}
	return g_string_free(found, FALSE);
}

static const struct {
	const char *search, *newest, *by_email;
} cases[] = {
    {"ad", "ca", "ac"},
    {"ADA", "ca", "ac"},
    {"ada.", "a", "a"},
    {"ada+lovelace", "a", "a"},
    {"ada%20LOVE", "a", "a"},
    {"ada%20", "ca", "ac"},
    {"lov", "ga", "ag"},
    {"grace%20b", "b", "b"},
    {"grace%20brewster%20h", "b", "b"},
    {"brewster", "", ""},
    {"ing@x", "", ""},
    {"none@x.org", "f", "f"},
    {"m%C3%84", "d", "d"},
    {"mary@b%C3%BCcher.example", "d", "d"},
    {"O%27Neil_", "d", "d"},
    {"%25%25", "", ""},
    {"__", "", ""},
    {"100%25", "e", "e"},
    {"1%25", "", ""},
    {"%7C%7C", "", ""},
    {"%5C%5C", "", ""},
    {"zz", "", ""},
};

Test(search, finds_the_beginnings_of_addresses_and_names)
{
	g_autofree char *audience = search_fill();

	for (gsize i = 0; i < G_N_ELEMENTS(people); i++) {
		g_autofree char *body = g_strdup_printf("{\"email\":\"%s\"}", people[i].email);
		g_autoptr(GBytes) bytes = g_bytes_new(body, strlen(body));
		const struct exchange exchange = {
		    people[i].email, "POST", "/v1/suppressions", NULL, 200, .bytes = bytes};
		AUTO(answer) answer = exchange_expect(fixture, &exchange);

		exchange_next_moment();
	}
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *person = g_strconcat("/v1/people?search=", cases[i].search, NULL);
		g_autofree char *contact = g_strconcat(
		    "/v1/audiences/", audience, "/contacts?search=", cases[i].search, NULL);
		g_autofree char *suppressed =
		    g_strconcat("/v1/suppressions?search=", cases[i].search, NULL);
		g_autofree char *of_people = letters(person, "people");
		g_autofree char *of_contacts = letters(contact, "contacts");
		g_autofree char *of_list = letters(suppressed, "suppressions");

		cr_expect_str_eq(of_people, cases[i].newest, "%s: got %s, want %s", person,
		    of_people, cases[i].newest);
		cr_expect_str_eq(of_contacts, cases[i].by_email, "%s: got %s, want %s", contact,
		    of_contacts, cases[i].by_email);
		cr_expect_str_eq(of_list, cases[i].newest, "%s: got %s, want %s", suppressed,
		    of_list, cases[i].newest);
	}
}

Test(search, has_2_to_100_characters)
{
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", audience);
	const char *const lists[] = {"/v1/people", "/v1/suppressions", "/v1/emails", contacts};
	static const struct {
		const char *search;
		guint want_status;
	} lengths[] = {
	    {"", 400},
	    {"a", 400},
	    {"%C3%A4", 400},
	    {"aa", 200},
	    {"%C3%A4%C3%A4", 200},
	    {HUNDRED, 200},
	    {UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS UMLAUTS, 200},
	    {HUNDRED "a", 400},
	};

	for (gsize l = 0; l < G_N_ELEMENTS(lists); l++)
		for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
			g_autofree char *path =
			    g_strconcat(lists[l], "?search=", lengths[i].search, NULL);
			const struct exchange exchange = {path, "GET", path, NULL,
			    lengths[i].want_status, lengths[i].want_status == 400 ? WRONG : NULL};
			AUTO(answer) answer = exchange_expect(fixture, &exchange);
		}
}

/* The people of search_fill: c has left, f is suppressed for all mail, g for mailings. */
Test(search, finds_people_and_entries_by_status)
{
	g_autofree char *audience = search_fill();
	const struct exchange changes[] = {
	    {"left", "PATCH", "/v1/people/ada@ada.org", "{'subscribed':false}", 200},
	    {"bounced", "POST", "/v1/suppressions", "{'email':'none@x.org','reason':'bounced'}",
		200},
	    {"mailings", "POST", "/v1/suppressions", "{'email':'lov@x.org','scope':'automation'}",
		200},
	};
	const struct {
		const char *path, *collection, *want;
	} lists[] = {
	    {"/v1/people?status=subscribed", "people", "fedba"},
	    {"/v1/people?status=unsubscribed", "people", "gc"},
	    {"/v1/people?status=suppressed", "people", "gfc"},
	    {"/v1/people?status=subscribed&search=ad", "people", "a"},
	    {"/v1/people?status=unsubscribed&search=ad", "people", "c"},
	    {"/v1/people?status=suppressed&search=lov", "people", "g"},
	    {"/v1/people?status=suppressed&search=mary", "people", ""},
	    {"/v1/people?sort=created", "people", "gfedcba"},
	    {"/v1/people?sort=email", "people", "eacbgdf"},
	    {"/v1/people?status=&sort=", "people", "gfedcba"},
	    {"/v1/suppressions?reason=bounced", "suppressions", "f"},
	    {"/v1/suppressions?reason=unsubscribed", "suppressions", "c"},
	    {"/v1/suppressions?reason=manual", "suppressions", "g"},
	    {"/v1/suppressions?reason=complained", "suppressions", ""},
	    {"/v1/suppressions?scope=all", "suppressions", "f"},
	    {"/v1/suppressions?scope=automation", "suppressions", "gc"},
	    {"/v1/suppressions?scope=automation&reason=manual", "suppressions", "g"},
	    {"/v1/suppressions?scope=all&reason=manual", "suppressions", ""},
	    {"/v1/suppressions?search=lov&scope=automation", "suppressions", "g"},
	    {"/v1/suppressions?search=lov&reason=bounced", "suppressions", ""},
	    {"/v1/suppressions?sort=created", "suppressions", "gfc"},
	    {"/v1/suppressions?sort=email", "suppressions", "cgf"},
	};
	const struct exchange wrong[] = {
	    {"a status", "GET", "/v1/people?status=pending", NULL, 400,
		"{'message':'status must be one of subscribed, unsubscribed, suppressed'}"},
	    {"an order", "GET", "/v1/people?sort=name", NULL, 400,
		"{'message':'sort must be one of created, email'}"},
	    {"sorted search", "GET", "/v1/people?sort=email&search=ad", NULL, 400,
		"{'message':'sort by email does not go with search or status'}"},
	    {"sorted status", "GET", "/v1/people?sort=email&status=subscribed", NULL, 400,
		"{'message':'sort by email does not go with search or status'}"},
	    {"a cursor of the other order", "GET", "/v1/people?sort=email&cursor=x", NULL, 400,
		"{'message':'cursor is malformed'}"},
	    {"a reason", "GET", "/v1/suppressions?reason=bored", NULL, 400,
		"{'message':'reason must be one of bounced, complained, unsubscribed, manual'}"},
	    {"an order of entries", "GET", "/v1/suppressions?sort=reason", NULL, 400,
		"{'message':'sort must be one of created, email'}"},
	    {"sorted entries found", "GET", "/v1/suppressions?sort=email&search=ad", NULL, 400,
		"{'message':'sort by email does not go with search, reason or scope'}"},
	    {"sorted entries of a reason", "GET", "/v1/suppressions?sort=email&reason=manual", NULL,
		400, "{'message':'sort by email does not go with search, reason or scope'}"},
	    {"sorted entries of a scope", "GET", "/v1/suppressions?sort=email&scope=all", NULL, 400,
		"{'message':'sort by email does not go with search, reason or scope'}"},
	    {"a cursor of entries by time", "GET", "/v1/suppressions?sort=email&cursor=x", NULL,
		400, "{'message':'cursor is malformed'}"},
	    {"a scope", "GET", "/v1/suppressions?scope=none", NULL, 400,
		"{'message':'scope must be one of all, automation'}"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(changes); i++) {
		AUTO(answer) answer = exchange_expect(fixture, &changes[i]);
		exchange_next_moment();
	}
	for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
		g_autofree char *got = letters(lists[i].path, lists[i].collection);

		cr_expect_str_eq(
		    got, lists[i].want, "%s: got %s, want %s", lists[i].path, got, lists[i].want);
	}
	EXPECT_ALL(fixture, wrong);
}

Test(search, finds_contacts_by_status)
{
	g_autofree char *audience = search_fill();
	g_autofree char *path = g_strdup_printf("/v1/audiences/%s/contacts?status=", audience);
	g_autofree char *wrong = g_strconcat(path, "gone", NULL);
	static const struct {
		const char *query, *want;
	} statuses[] = {
	    {"", "aecgfbd"},
	    {"subscribed", "ecgfb"},
	    {"unsubscribed", "a"},
	    {"pending", "d"},
	    {"unsubscribed&search=ad", "a"},
	    {"subscribed&search=ad", "c"},
	    {"pending&search=ad", ""},
	    {"pending&search=mary%20o", "d"},
	};

	test_db_plain(fixture->db, "UPDATE contact SET is_subscribed = 0 WHERE address ="
				   " 'ada.king@x.org' AND workspace_id = @workspace");
	test_db_plain(fixture->db, "UPDATE contact SET is_subscribed = 0, pending = 1 WHERE address"
				   " LIKE 'mary@%' AND workspace_id = @workspace");
	for (gsize i = 0; i < G_N_ELEMENTS(statuses); i++) {
		g_autofree char *one = g_strconcat(path, statuses[i].query, NULL);
		g_autofree char *got = letters(one, "contacts");

		/* Contacts run by address. */
		cr_expect_eq(strlen(got), strlen(statuses[i].want), "%s: got %s, want %s", one, got,
		    statuses[i].want);
		cr_expect_eq(strspn(got, statuses[i].want), strlen(got), "%s: got %s, want %s", one,
		    got, statuses[i].want);
	}
	audience_expect(fixture, "GET", NULL, 400,
	    "{'message':'status must be one of subscribed, unsubscribed, pending'}", "%s", wrong);
	audience_expect(fixture, "GET", NULL, 404, NULL,
	    "/v1/audiences/0198c0de-0000-7000-8000-000000000000/contacts?search=aa");
}

/* Walks through the first pages, and counts their rows. member: in its order is the list; NULL: the
   rows do not show it. */
#define PAGES 40
static guint
search_walk(const char *list, const char *collection, const char *member, bool falls)
{
	g_autofree char *cursor = g_strdup(""), *last = g_strdup("");
	guint count = 0;

	for (guint page = 0; page < PAGES; page++) {
		g_autofree char *path = g_strdup_printf("%s&cursor=%s", list, cursor);
		const struct exchange exchange = {path, "GET", path, NULL, 200};
		AUTO(answer) answer = exchange_expect(fixture, &exchange);
		const struct json *rows = answer_at(answer, collection);

		count += (guint)json_array_length(rows);
		for (gsize i = 0; member && i < json_array_length(rows); i++) {
			const char *id =
			    json_string(json_member_get(json_array_at(rows, i), member), NULL);
			int order = *last ? strcmp(id, last) : 0;

			cr_expect(!*last || (falls ? order < 0 : order > 0), "%s behind %s in %s",
			    id, last, path);
			g_free(last);
			last = g_strdup(id);
		}
		if (!answer_at(answer, "cursor"))
			return count;
		g_free(cursor);
		cursor = g_strdup(answer_text(answer, "cursor"));
	}
	return count;
}

#define MANY 12000
/* More people than are sorted, of two kinds of addresses, in one audience and suppressed. */
static void
fill_many(const char *audience)
{
	g_autofree char *contacts = g_strdup_printf(
	    "INSERT INTO contact (audience_id, address, id, workspace_id, email, is_subscribed,"
	    " created, updated) SELECT UNHEX('%.8s%.4s%.4s%.4s%s'), address, id, workspace_id, '',"
	    " seq %% 4000 <> 0, 1, 1 FROM person JOIN seq_1_to_12000"
	    " ON address LIKE CONCAT('%%', seq, '@x.org') AND id = UNHEX(CONCAT(LPAD(HEX(seq), 16,"
	    " '0'), LPAD('', 16, '0'))) WHERE workspace_id = @workspace",
	    audience, audience + 9, audience + 14, audience + 19, audience + 24);

	test_db_plain(fixture->db,
	    "INSERT INTO person (id, workspace_id, email, address, properties, first_seen,"
	    " last_seen, last_event, event_count, seen, created, updated, first_name, last_name)"
	    " SELECT UNHEX(CONCAT(LPAD(HEX(seq), 16, '0'), LPAD('', 16, '0'))), @workspace,"
	    " CONCAT(IF(seq % 2, 'odd', 'even'), LPAD(seq, 5, '0'), '@x.org'),"
	    " CONCAT(IF(seq % 2, 'odd', 'even'), LPAD(seq, 5, '0'), '@x.org'), '{}', 0, 0, '', 0,"
	    " seq % 2, 1, 1, 'Person', CONCAT('No', LPAD(seq, 5, '0')) FROM seq_1_to_12000");
	test_db_plain(fixture->db, contacts);
	test_db_plain(fixture->db,
	    "INSERT INTO suppression (id, workspace_id, email, address, reason, scope, created)"
	    " SELECT id, workspace_id, email, address, 4, 1, 1 FROM person"
	    " WHERE workspace_id = @workspace");
}

Test(search, reads_through_lists_of_many_matches)
{
	g_autofree char *audience = audience_new(fixture, "News");
	g_autofree char *contacts = g_strdup_printf("/v1/audiences/%s/contacts", audience);
	static const struct {
		const char *search;
		guint want;
	} many[] = {
	    {"person", MANY},
	    {"person+no", MANY},
	    {"odd", MANY / 2},
	    {"no0012", 10},
	    {"person%20no0012", 10},
	    {"even11", 500},
	};

	fill_many(audience);
	for (gsize i = 0; i < G_N_ELEMENTS(many); i++) {
		g_autofree char *of_people =
		    g_strdup_printf("/v1/people?search=%s", many[i].search);
		g_autofree char *of_contacts =
		    g_strdup_printf("%s?search=%s", contacts, many[i].search);
		g_autofree char *of_list =
		    g_strdup_printf("/v1/suppressions?search=%s", many[i].search);

		guint want = MIN(many[i].want, PAGES * 50);
		cr_expect_eq(search_walk(of_people, "people", "id", true), want, "%s", of_people);
		cr_expect_eq(
		    search_walk(of_contacts, "contacts", "email", false), want, "%s", of_contacts);
		cr_expect_eq(search_walk(of_list, "suppressions", NULL, true), want, "%s", of_list);
	}
	test_db_plain(fixture->db,
	    "UPDATE person p JOIN contact c ON c.id = p.id SET p.is_subscribed = c.is_subscribed"
	    " WHERE p.workspace_id = @workspace");
	cr_expect_eq(search_walk("/v1/people?status=unsubscribed", "people", "id", true), 3);
	cr_expect_eq(search_walk("/v1/people?status=subscribed", "people", "id", true), PAGES * 50);
	cr_expect_eq(search_walk("/v1/people?status=suppressed", "people", "id", true), PAGES * 50);
	cr_expect_eq(search_walk("/v1/people?sort=email", "people", "email", false), PAGES * 50);
	cr_expect_eq(
	    search_walk("/v1/suppressions?reason=manual&scope=all", "suppressions", NULL, true),
	    PAGES * 50);
	cr_expect_eq(search_walk("/v1/suppressions?reason=bounced", "suppressions", NULL, true), 0);
	g_autofree char *unsubscribed = g_strdup_printf("%s?status=unsubscribed", contacts);
	g_autofree char *named = g_strdup_printf("%s&search=person", unsubscribed);
	g_autofree char *addressed = g_strdup_printf("%s&search=even", unsubscribed);
	cr_expect_eq(search_walk(unsubscribed, "contacts", "email", false), 3);
	cr_expect_eq(search_walk(named, "contacts", "email", false), 3);
	cr_expect_eq(search_walk(addressed, "contacts", "email", false), 3);
}

Test(search, finds_emails_by_a_recipient)
{
	static const char *const to[] = {"'to':'Ann@one.example'",
	    "'to':['bob@one.example','anna@x.org']",
	    "'to':'cy@one.example','cc':'ANN@two.example','tags':{'a':'b'}"};
	char *ids[G_N_ELEMENTS(to)];
	static const struct {
		const char *query, *want;
	} searches[] = {
	    {"ann", "cba"},
	    {"ANN@", "ca"},
	    {"ann@one", "a"},
	    {"bob", "b"},
	    {"one", ""},
	    {"an_", ""},
	    {"%C3%A4%C3%A4", ""},
	    {"ann&tag=a", "c"},
	    {"ann&to=bob@one.example", "b"},
	    {"ann&to=bob@one.example&tag=a", ""},
	    {"ann&type=transactional", "cba"},
	    {"ann&type=automation", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(to); i++) {
		ids[i] = email_send(fixture, to[i]);
		exchange_next_moment();
	}
	for (gsize i = 0; i < G_N_ELEMENTS(searches); i++) {
		g_autofree char *path = g_strconcat("/v1/emails?search=", searches[i].query, NULL);
		const struct exchange exchange = {path, "GET", path, NULL, 200};
		AUTO(answer) answer = exchange_expect(fixture, &exchange);
		const struct json *rows = answer_at(answer, "emails");
		g_autoptr(GString) got = g_string_new(NULL);

		for (gsize r = 0; r < json_array_length(rows); r++)
			for (gsize k = 0; k < G_N_ELEMENTS(to); k++)
				if (strcmp(ids[k],
					json_string(json_member_get(json_array_at(rows, r), "id"),
					    NULL)) == 0)
					g_string_append_c(got, (char)('a' + k));
		cr_expect_str_eq(got->str, searches[i].want, "%s: got %s, want %s", path, got->str,
		    searches[i].want);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(to); i++)
		g_free(ids[i]);
}

Test(search, finds_emails_among_many_matches)
{
	g_autofree char *oldest = email_send(fixture, "'to':'user@one.example'");
	g_autofree char *want = g_strdup_printf("emails[0].id = '%s'", oldest);
	const struct exchange exchange = {"through", "GET", "/v1/emails?search=user", NULL, 200,
	    .want = {want, "count = 1", "cursor = null"}};

	/* Recipients of emails that are in no list. */
	test_db_plain(fixture->db,
	    "INSERT INTO recipient (email_id, number, workspace_id, kind, address)"
	    " SELECT UNHEX(LPAD(HEX(seq), 32, '0')), 0, @workspace, 0, CONCAT('user', seq, "
	    "'@x.org')"
	    " FROM seq_1_to_10000");
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
}

/* The list has the hash alone of somebody who was erased. */
Test(search, finds_those_who_came_back_after_they_were_erased)
{
	static const struct exchange exchanges[] = {
	    {"make", "POST", "/v1/people", "{'email':'back@x.org'}", 200},
	    {"erase", "DELETE", "/v1/people/back@x.org?erase=true", NULL, 200},
	    {"nobody", "GET", "/v1/people?status=suppressed", NULL, 200, .want = {"count = 0"}},
	    {"again", "POST", "/v1/people", "{'email':'back@x.org'}", 200},
	    {"another", "POST", "/v1/people", "{'email':'other@x.org'}", 200},
	    {"all", "GET", "/v1/people?status=suppressed", NULL, 200,
		.want = {"count = 1", "people[0].email = 'back@x.org'",
		    "people[0].suppressed.scope = 'all'", "cursor : null"}},
	    {"found", "GET", "/v1/people?status=suppressed&search=ba", NULL, 200,
		.want = {"count = 1", "people[0].email = 'back@x.org'"}},
	    {"not suppressed", "GET", "/v1/people?status=suppressed&search=other", NULL, 200,
		.want = {"count = 0"}},
	};

	EXPECT_ALL(fixture, exchanges);
}
