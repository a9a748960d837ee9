/* SPDX-License-Identifier: MIT */
#include "person/suppress.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "db/transaction.h"
#include "email/draft.h"
#include "json/strict.h"
#include "store/workspace/workspace.h"
#include "submit/submit.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

static void
suppress_suppress(struct fixture *fixture, const char *email, enum store_suppression_scope scope)
{
	g_autoptr(GError) error = NULL;
	AUTO(store_suppression) entry =
	    person_suppress_add(fixture->service, &fixture->key.workspace_id, email,
		&(struct store_suppression_state){SUPPRESSION_MANUAL, scope}, &posting_api, &error);

	cr_assert(entry, "%s", error ? error->message : "");
}

/* The list, oldest first: "a@x.org bounced all\n". */
static char *
suppress_list(struct fixture *fixture)
{
	g_autoptr(GPtrArray) entries = store_suppression_list(
	    fixture->service->db, &fixture->key.workspace_id, NULL, 100, NULL);
	GString *text = g_string_new(NULL);

	cr_assert(entries);
	for (guint i = entries->len; i > 0; i--) {
		const struct store_suppression *entry = entries->pdata[i - 1];
		g_string_append_printf(text, "%s %s %s\n", entry->email ? entry->email : "(erased)",
		    store_suppression_reasons[entry->reason - 1],
		    store_suppression_scopes[entry->scope - 1]);
	}
	return g_string_free(text, FALSE);
}

/* At submit: an event for those on the list, and no place in the outbox. */
static struct fixture *adding;

/* Adds two addresses. */
static bool
suppress_add_together(struct db *db, void *additions, GError **error)
{
	return db && person_suppress_put_all(adding->service, additions, 2, error);
}

Test(suppress, lets_no_mail_to_addresses_on_the_list)
{
	static const struct smtp_script script = {.extensions = NULL};
	static const struct {
		const char *name, *to, *want_events, *want_outbox;
	} cases[] = {
	    {"none", "a@x.org b@x.org", "", "0 1: 0 attempts, now\n"},
	    {"one of two", "a@x.org gone@x.org", "1 suppressed\n", "0: 0 attempts, now\n"},
	    {"the first", "GONE@X.org a@x.org", "0 suppressed\n", "1: 0 attempts, now\n"},
	    {"all", "gone@x.org gone@m\303\274ller.example", "0 suppressed\n1 suppressed\n", ""},
	    {"of automation alone", "auto@x.org", "", "0: 0 attempts, now\n"},
	};
	AUTO(fixture) fixture = fixture_open(&script, NULL);

	suppress_suppress(fixture, "Gone@x.org", SUPPRESSION_ALL);
	suppress_suppress(fixture, "gone@xn--mller-kva.example", SUPPRESSION_ALL);
	suppress_suppress(fixture, "auto@x.org", SUPPRESSION_AUTOMATION);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct base_id id = posting_submit(fixture, cases[i].to);
		posting_expect(
		    fixture, cases[i].name, &id, cases[i].want_events, cases[i].want_outbox);
		test_db_plain(fixture->db, "DELETE FROM outbox");
	}
}

/* More than one statement takes, at both ends of each. */
Test(suppress, looks_for_any_number_of_addresses)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	static const guint counts[] = {1, 7, 8, 9, 16, 17, 50};

	for (gsize c = 0; c < G_N_ELEMENTS(counts); c++) {
		guint step = counts[c] > 10 ? 7 : 1;
		for (guint only = 0; only < counts[c]; only += step) {
			g_autoptr(GPtrArray) to = g_ptr_array_new_with_free_func(g_free);
			g_autofree char *gone = g_strdup_printf("a%u@x.org", only);
			bool suppressed[50];
			g_autoptr(GError) error = NULL;

			suppress_suppress(fixture, gone, SUPPRESSION_ALL);
			for (guint i = 0; i < counts[c]; i++)
				g_ptr_array_add(to, g_strdup_printf("A%u@x.org", i));
			cr_assert(
			    person_suppress_match(fixture->service, &fixture->key.workspace_id,
				&(struct person_suppress_search){
				    (const char *const *)to->pdata, to->len, false, NULL},
				suppressed, NULL, &error),
			    "%s", error ? error->message : "");
			for (guint i = 0; i < counts[c]; i++)
				cr_expect_eq(suppressed[i], i == only, "%u of %u: %u is %d", only,
				    counts[c], i, suppressed[i]);
			test_db_plain(fixture->db, "DELETE FROM suppression");
		}
	}
}

Test(suppress, keeps_more_from_mailings)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	static const char *const addresses[] = {"all@x.org", "auto@x.org", "none@x.org"};
	const struct base_id other = base_id_new(), *own = &fixture->key.workspace_id;
	bool suppressed[3];

	suppress_suppress(fixture, "all@x.org", SUPPRESSION_ALL);
	suppress_suppress(fixture, "auto@x.org", SUPPRESSION_AUTOMATION);
	cr_assert(person_suppress_match(fixture->service, own,
	    &(struct person_suppress_search){addresses, 3, false, NULL}, suppressed, NULL, NULL));
	cr_expect(suppressed[0] && !suppressed[1] && !suppressed[2]);
	cr_assert(person_suppress_match(fixture->service, own,
	    &(struct person_suppress_search){addresses, 3, true, NULL}, suppressed, NULL, NULL));
	cr_expect(suppressed[0] && suppressed[1] && !suppressed[2]);
	cr_assert(person_suppress_match(fixture->service, &other,
	    &(struct person_suppress_search){addresses, 3, true, NULL}, suppressed, NULL, NULL));
	cr_expect(!suppressed[0] && !suppressed[1] && !suppressed[2]);
}

/* A relay's reply to a recipient, and whether the address is suppressed then. */
static const struct {
	const char *name;
	struct smtp_rule rule;
	const char *want_list;
} answers[] = {
    {"no such user", REPLY("RCPT*b@x*", 0, "550 5.1.1 no such user"), "b@x.org bounced all\n"},
    {"bare 550", REPLY("RCPT*b@x*", 0, "550 no"), "b@x.org bounced all\n"},
    {"bare 553", REPLY("RCPT*b@x*", 0, "553 no"), ""},
    {"disabled", REPLY("RCPT*b@x*", 0, "550 5.2.1 disabled"), "b@x.org bounced all\n"},
    {"policy", REPLY("RCPT*b@x*", 0, "550 5.7.1 not from you"), ""},
    {"full", REPLY("RCPT*b@x*", 0, "552 5.2.2 full"), ""},
    {"later", REPLY("RCPT*b@x*", 0, "450 4.1.1 unknown as yet"), ""},
    {"at the dot", REPLY(".", 0, "550 5.1.1 no such user"), ""},
    {"at MAIL", REPLY("MAIL*", 0, "550 no"), ""},
};

Test(suppress, follows_a_bounce_of_the_mailbox)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(answers); i++) {
		struct smtp_script script = {.extensions = "ENHANCEDSTATUSCODES"};

		script.rules[0] = answers[i].rule;
		fixture_renew(fixture, &script, NULL);
		posting_submit(fixture, "a@x.org b@x.org");
		posting_deliver(fixture);
		g_autofree char *got = suppress_list(fixture);
		cr_expect_str_eq(got, answers[i].want_list, "%s: got %s", answers[i].name, got);
		test_db_plain(fixture->db, "DELETE FROM outbox");
		test_db_plain(fixture->db, "DELETE FROM suppression");
	}
}

static void
suppress_expect_recipients(struct fixture *fixture, const char *want)
{
	smtp_server_stop(fixture->relay);
	GString *got = g_string_new(NULL);
	for (guint i = 0; i < smtp_server_count(fixture->relay); i++) {
		const struct smtp_mail *mail = smtp_server_mail(fixture->relay, i);
		for (guint r = 0; r < mail->recipients->len; r++)
			g_string_append_printf(got, "%s ",
			    (const char *)mail->recipients->pdata[r] + strlen("RCPT TO:"));
	}
	g_autofree char *text = g_string_free(got, FALSE);
	cr_expect_str_eq(text, want, "got %s", text);
}

/* The list is checked again when an email leaves the outbox. */
Test(suppress, is_asked_again_when_mail_leaves)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id none = posting_submit(fixture, "a@x.org b@x.org c@x.org");
	struct base_id one = posting_submit(fixture, "gone@x.org d@x.org gone2@x.org");
	struct base_id all = posting_submit(fixture, "gone@x.org gone2@x.org");
	struct base_id late = posting_submit(fixture, "e@x.org");

	suppress_suppress(fixture, "gone@x.org", SUPPRESSION_ALL);
	suppress_suppress(fixture, "GONE2@x.org", SUPPRESSION_ALL);
	posting_deliver(fixture);
	posting_expect(fixture, "none", &none, "0 sent\n1 sent\n2 sent\n", "");
	posting_expect(fixture, "some", &one, "0 suppressed\n2 suppressed\n1 sent\n", "");
	posting_expect(fixture, "all", &all, "0 suppressed\n1 suppressed\n", "");
	posting_expect(fixture, "late", &late, "0 sent\n", "");
	suppress_expect_recipients(fixture, "<a@x.org> <b@x.org> <c@x.org> <d@x.org> <e@x.org> ");
}

static bool
put_hash(struct db *db, void *context, GError **error)
{
	const struct fixture *fixture = context;
	const char *address = "ann@x.org";
	AUTO(person_suppress_keys) keys = person_suppress_keys(fixture->service, &address, 1);
	const struct store_suppression_key *key = person_suppress_key(keys, 0);
	struct store_suppression entry = {.workspace_id = fixture->key.workspace_id,
	    .hashed = true,
	    .reason = SUPPRESSION_MANUAL,
	    .scope = SUPPRESSION_AUTOMATION};

	memcpy(entry.hash, key->hashes[0], SHA256_SIZE);
	return store_suppression_put(db, &entry, key, error);
}

/* The settings again, after the secret file has got these lines. */
static struct config_settings *
with_secrets(struct fixture *fixture, const char *lines)
{
	const char *secret = config_settings_text(fixture->settings, SETTING_SERVICE_SECRET_FILE);
	g_autoptr(GString) config = g_string_new(secret);
	g_autoptr(GError) error = NULL;

	cr_assert(g_file_set_contents_full(
	    secret, lines, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, &error));
	g_string_replace(config, ".secret", ".conf", 0);
	struct config_settings *settings = config_settings_load(config->str, &error);
	cr_assert(settings, "%s", error ? error->message : "");
	return settings;
}

/* Only a hash is left of an erased person. It is still found after the secret was changed, while
   the old secret is kept behind the new one. */
Test(suppress, finds_the_erased)
{
	static const struct {
		const char *name, *lines;
		bool want;
	} cases[] = {
	    {"the same secret", "a secret of the tests, long enough to be one\n", true},
	    {"a new one in front",
		"another one, which is as long as it must be\n"
		"a secret of the tests, long enough to be one\n",
		true},
	    {"a new one alone", "another one, which is as long as it must be\n", false},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	g_autoptr(GError) error = NULL;

	cr_assert(db_transact(fixture->service->db, put_hash, fixture, &error), "%s",
	    error ? error->message : "");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(config_settings) settings = with_secrets(fixture, cases[i].lines);
		AUTO(service) service = service_open(settings);
		bool suppressed;
		const char *address = "ANN@x.org";

		cr_assert(service_ensure(service, NULL));
		cr_assert(person_suppress_match(service, &fixture->key.workspace_id,
		    &(struct person_suppress_search){&address, 1, true, NULL}, &suppressed, NULL,
		    NULL));
		cr_expect_eq(suppressed, cases[i].want, "%s: got %d", cases[i].name, suppressed);
		AUTO(store_suppression) entry =
		    person_suppress_get(service, &fixture->key.workspace_id, address, NULL);
		cr_expect_eq(entry != NULL, cases[i].want, "%s: get", cases[i].name);
	}
}

/* Nothing brings the address of an erased person back. */
Test(suppress, leaves_the_erased_erased)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	cr_assert(db_transact(fixture->service->db, put_hash, fixture, NULL));
	suppress_suppress(fixture, "Ann@x.org", SUPPRESSION_AUTOMATION);
	g_autofree char *same = suppress_list(fixture);
	cr_expect_str_eq(same, "(erased) manual automation\n");
	suppress_suppress(fixture, "Ann@x.org", SUPPRESSION_ALL);
	g_autofree char *wider = suppress_list(fixture);
	cr_expect_str_eq(wider, "(erased) manual all\n");
	cr_assert(person_suppress_remove(
	    fixture->service, &fixture->key.workspace_id, "ann@X.org", &posting_api, NULL, NULL));
	g_autofree char *none = suppress_list(fixture);
	cr_expect_str_eq(none, "");
}

/* An email with {{unsubscribe_url}} is a mailing; with a value for that it is none. */
static struct base_id
submit_content(struct fixture *fixture, const char *html, const char *text, bool own_url)
{
	static const char own[] = "{\"unsubscribe_url\": \"https://x.org/\"}";
	AUTO(json) variables = json_parse(own, strlen(own), NULL);
	struct email_submission submission = fixture_submission();

	submission.to = (const char *[]){"a@x.org", "auto@x.org", NULL};
	submission.html = html;
	submission.text = text;
	submission.variables = own_url ? variables : NULL;
	return posting_store(fixture, &submission);
}

static const struct {
	const char *name, *html, *text;
	bool own_url, is_mailing;
} contents[] = {
    {"neither", "<p>Hello</p>", NULL, false, false},
    {"in html", "<a href=\"{{unsubscribe_url}}\">no more</a>", NULL, false, true},
    {"in text", "<p>Hello</p>", "{{ unsubscribe_url|nowhere }}", false, true},
    {"their own", "<a href=\"{{unsubscribe_url}}\">no more</a>", NULL, true, false},
};

Test(suppress, lets_no_mailing_to_who_unsubscribed)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	suppress_suppress(fixture, "auto@x.org", SUPPRESSION_AUTOMATION);
	for (gsize i = 0; i < G_N_ELEMENTS(contents); i++) {
		struct base_id id = submit_content(
		    fixture, contents[i].html, contents[i].text, contents[i].own_url);

		posting_expect(fixture, contents[i].name, &id,
		    contents[i].is_mailing ? "1 suppressed\n" : "",
		    contents[i].is_mailing ? "0: 0 attempts, now\n" : "0 1: 0 attempts, now\n");
		test_db_plain(fixture->db, "DELETE FROM outbox");
	}
}

/* All of them in one batch, in which mailings and others stand side by side. */
Test(suppress, takes_mailings_back_when_they_leave)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id ids[G_N_ELEMENTS(contents)];

	for (gsize i = 0; i < G_N_ELEMENTS(contents); i++)
		ids[i] = submit_content(
		    fixture, contents[i].html, contents[i].text, contents[i].own_url);
	suppress_suppress(fixture, "auto@x.org", SUPPRESSION_AUTOMATION);
	posting_deliver(fixture);
	for (gsize i = 0; i < G_N_ELEMENTS(contents); i++) {
		g_autofree char *got = fixture_events(fixture, &ids[i]);
		const char *last = contents[i].is_mailing ? "1 suppressed\n" : "1 sent\n";

		cr_expect(strstr(got, "0 sent\n") && strstr(got, last), "%s: got\n%s",
		    contents[i].name, got);
	}
}

struct putting {
	struct fixture *fixture;
	struct base_id email;
};

static bool
put_source(struct db *db, void *context, GError **error)
{
	const struct putting *putting = context;

	return person_suppress_put(putting->fixture->service,
	    &(struct person_suppress_addition){putting->fixture->key.workspace_id, putting->email,
		"gone@x.org", SUPPRESSION_BOUNCED},
	    error);
}

/* The first email that caused an entry stays with it. A person's choice to leave mailings has none,
   and gives way. */
Test(suppress, tells_the_email_that_it_comes_from)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	const struct base_id first = base_id_new();
	struct putting putting = {fixture, first};

	suppress_suppress(fixture, "gone@x.org", SUPPRESSION_AUTOMATION);
	cr_expect_null(
	    person_suppress_find(fixture->service, &fixture->key.workspace_id, "gone@x.org", NULL));
	for (guint i = 0; i < 2; i++) {
		cr_assert(db_transact(fixture->service->db, put_source, &putting, NULL));
		AUTO(store_suppression)
		entry = person_suppress_find(
		    fixture->service, &fixture->key.workspace_id, "gone@x.org", NULL);
		cr_assert(entry);
		cr_expect_eq(entry->reason, SUPPRESSION_BOUNCED);
		cr_expect(entry->has_source && base_id_equal(&entry->source_id, &first));
		putting.email = base_id_new();
	}
}

/* Mail of the service itself, such as that to its users, fills no list. */
Test(suppress, adds_nothing_for_mail_of_the_service)
{
	struct person_suppress_addition additions[] = {
	    {store_workspace_system, {{1}}, "a@x.org", SUPPRESSION_BOUNCED},
	    {store_workspace_system, {{2}}, "b@x.org", SUPPRESSION_BOUNCED},
	};
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	adding = fixture;
	cr_assert(db_transact(fixture->service->db, suppress_add_together, additions, NULL));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM suppression"), 0);
}
