/* SPDX-License-Identifier: MIT */
#include "consent/unsubscribe.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "db/transaction.h"
#include "feedback/report.h"
#include "link/token.h"
#include "link/tracking.h"
#include "person/suppress.h"
#include "store/person/audience.h"
#include "store/person/contact.h"
#include "store/workspace/workspace.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

#define URL "[service]\nurl = https://mail.example.com\n"

static struct base_id
unsubscribe_make_audience(struct fixture *fixture, const struct base_id *workspace)
{
	g_autoptr(GError) error = NULL;
	struct base_id id;

	cr_assert(store_audience_create(fixture->db, workspace, NULL, "N", &id, &error), "%s",
	    error ? error->message : "");
	return id;
}

static void
unsubscribe_make_contact(struct fixture *fixture, const struct base_id *workspace,
    const struct base_id *audience, const char *address, bool subscribed)
{
	struct store_contact contact = {.workspace_id = *workspace,
	    .audience_id = *audience,
	    .email = (char *)address,
	    .address = (char *)address,
	    .is_subscribed = subscribed};
	g_autoptr(GError) error = NULL;

	cr_assert(store_contact_create(fixture->db, &contact, NULL, &error), "%s",
	    error ? error->message : "");
}

/* "3/1": contacts and unsubscribers of an audience, by its counters, which its contacts agree
   with. */
static void
unsubscribe_expect_counts(struct fixture *fixture, const char *name,
    const struct base_id *workspace, const struct base_id *audience, gint64 contacts,
    gint64 unsubscribers)
{
	g_autoptr(GError) error = NULL;
	AUTO(store_audience) got = store_audience_get(fixture->db, workspace, audience, &error);
	g_autoptr(GPtrArray) list =
	    store_contact_list(fixture->db, workspace, audience, NULL, 50, &error);
	gint64 off = 0;

	cr_assert(got && list, "%s", error ? error->message : "");
	for (guint i = 0; i < list->len; i++)
		off += !((const struct store_contact *)list->pdata[i])->is_subscribed;
	cr_expect(got->contacts == contacts && got->unsubscribers == unsubscribers &&
		      off == unsubscribers,
	    "%s: got %d/%d (%d), want %d/%d", name, (int)got->contacts, (int)got->unsubscribers,
	    (int)off, (int)contacts, (int)unsubscribers);
}

static void
unsubscribe_expect_state(
    const char *name, struct consent_subscriber *subscriber, enum consent_subscription want)
{
	cr_assert(subscriber, "%s", name);
	cr_expect_eq(subscriber->state, want, "%s: got %d, want %d", name, subscriber->state, want);
	consent_subscriber_free(subscriber);
}

static void
lib_unsubscribe_expect_events(
    struct fixture *fixture, const char *name, const struct base_id *email, const char *want)
{
	g_autofree char *got = fixture_events(fixture, email);

	cr_expect_str_eq(got, want, "%s: got\n%swant\n%s", name, got, want);
}

Test(unsubscribe, takes_an_address_out_of_everything_and_back)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	const struct base_id *ours = &fixture->key.workspace_id;
	struct base_id others;
	cr_assert(store_workspace_create(fixture->db, "other", NULL, &others, NULL));
	struct base_id one = unsubscribe_make_audience(fixture, ours),
		       two = unsubscribe_make_audience(fixture, ours),
		       theirs = unsubscribe_make_audience(fixture, &others);
	struct base_id email = posting_submit(fixture, "b@x.org C@x.org");
	struct link_token token = {TOKEN_UNSUBSCRIBE, email, 1, 0};
	struct service *service = fixture->service;

	unsubscribe_make_contact(fixture, ours, &one, "b@x.org", true);
	unsubscribe_make_contact(fixture, ours, &one, "c@x.org", true);
	unsubscribe_make_contact(fixture, ours, &two, "c@x.org", false);
	unsubscribe_make_contact(fixture, &others, &theirs, "c@x.org", true);

	unsubscribe_expect_state(
	    "before", consent_unsubscribe_look(service, &token, NULL), SUBSCRIPTION_ON);
	lib_unsubscribe_expect_events(fixture, "a look", &email, "");
	for (guint i = 0; i < 2; i++) { /* the second time changes nothing */
		unsubscribe_expect_state("off",
		    consent_unsubscribe(service, &token, &posting_leave, NULL), SUBSCRIPTION_OFF);
		unsubscribe_expect_state(
		    "look", consent_unsubscribe_look(service, &token, NULL), SUBSCRIPTION_OFF);
		unsubscribe_expect_counts(fixture, "one", ours, &one, 2, 1);
		unsubscribe_expect_counts(fixture, "two", ours, &two, 1, 1);
		unsubscribe_expect_counts(fixture, "theirs", &others, &theirs, 1, 0);
		lib_unsubscribe_expect_events(fixture, "off", &email, "1 unsubscribed\n");
	}
	AUTO(store_suppression) entry = person_suppress_get(service, ours, "c@x.org", NULL);
	cr_assert(entry);
	cr_expect_eq(entry->reason, SUPPRESSION_UNSUBSCRIBED);
	cr_expect_eq(entry->scope, SUPPRESSION_AUTOMATION);

	for (guint i = 0; i < 2; i++) {
		unsubscribe_expect_state("on",
		    consent_unsubscribe(service, &token, &posting_return, NULL), SUBSCRIPTION_ON);
		unsubscribe_expect_counts(fixture, "one again", ours, &one, 2, 0);
		unsubscribe_expect_counts(
		    fixture, "two, which an operator unsubscribed", ours, &two, 1, 1);
		unsubscribe_expect_counts(fixture, "theirs still", &others, &theirs, 1, 0);
		lib_unsubscribe_expect_events(fixture, "on", &email, "1 unsubscribed\n");
	}
	cr_expect_not(person_suppress_get(service, ours, "c@x.org", NULL));

	unsubscribe_expect_state("off again",
	    consent_unsubscribe(service, &token, &posting_leave, NULL), SUBSCRIPTION_OFF);
	lib_unsubscribe_expect_events(
	    fixture, "off again", &email, "1 unsubscribed\n1 unsubscribed\n");
}

/* Two links: the undo of one leaves the other's change alone, and waits while the other is in use.
 */
Test(unsubscribe, is_undone_by_its_own_link)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	const struct base_id *ours = &fixture->key.workspace_id;
	struct base_id audience = unsubscribe_make_audience(fixture, ours);
	struct base_id first = posting_submit(fixture, "b@x.org"),
		       second = posting_submit(fixture, "b@x.org");
	struct link_token one = {TOKEN_UNSUBSCRIBE, first, 0, 0},
			  two = {TOKEN_UNSUBSCRIBE, second, 0, 0};
	struct service *service = fixture->service;

	unsubscribe_make_contact(fixture, ours, &audience, "b@x.org", true);
	unsubscribe_expect_state(
	    "one", consent_unsubscribe(service, &one, &posting_leave, NULL), SUBSCRIPTION_OFF);
	unsubscribe_expect_state("not by two",
	    consent_unsubscribe(service, &two, &posting_return, NULL), SUBSCRIPTION_OFF);
	AUTO(consent_subscriber) stranger = consent_unsubscribe_look(service, &two, NULL);
	cr_assert(stranger);
	cr_expect(!stranger->returns && stranger->elsewhere);

	unsubscribe_expect_state(
	    "two", consent_unsubscribe(service, &two, &posting_leave, NULL), SUBSCRIPTION_OFF);
	AUTO(consent_subscriber) both = consent_unsubscribe_look(service, &two, NULL);
	cr_assert(both);
	cr_expect(both->returns && both->elsewhere);
	unsubscribe_expect_state("one undone",
	    consent_unsubscribe(service, &one, &posting_return, NULL), SUBSCRIPTION_OFF);
	unsubscribe_expect_counts(fixture, "one undone", ours, &audience, 1, 1);
	unsubscribe_expect_state(
	    "again", consent_unsubscribe(service, &one, &posting_return, NULL), SUBSCRIPTION_OFF);
	AUTO(consent_subscriber) last = consent_unsubscribe_look(service, &two, NULL);
	cr_assert(last);
	cr_expect(last->returns && !last->elsewhere);
	unsubscribe_expect_state("both undone",
	    consent_unsubscribe(service, &two, &posting_return, NULL), SUBSCRIPTION_ON);
	unsubscribe_expect_counts(fixture, "both undone", ours, &audience, 1, 0);
}

Test(unsubscribe, is_undone_for_30_days)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct base_id email = posting_submit(fixture, "b@x.org");
	struct link_token token = {TOKEN_UNSUBSCRIBE, email, 0, 0};
	static const struct {
		const char *name, *age;
		enum consent_subscription want;
	} cases[] = {
	    {"at the limit", "30 * 86400000 - 60000", SUBSCRIPTION_ON},
	    {"past it", "30 * 86400000 + 1", SUBSCRIPTION_OFF},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *sql = g_strdup_printf(
		    "UPDATE choice_link SET created = created - (%s)", cases[i].age);

		unsubscribe_expect_state("off",
		    consent_unsubscribe(fixture->service, &token, &posting_leave, NULL),
		    SUBSCRIPTION_OFF);
		test_db_plain(fixture->db, sql);
		AUTO(consent_subscriber) before =
		    consent_unsubscribe_look(fixture->service, &token, NULL);
		cr_assert(before);
		cr_expect_eq(before->returns, cases[i].want == SUBSCRIPTION_ON);
		unsubscribe_expect_state(cases[i].name,
		    consent_unsubscribe(fixture->service, &token, &posting_return, NULL),
		    cases[i].want);
	}
}

/* The undo of a link does not remove an entry that an operator had made before. */
Test(unsubscribe, undoes_no_entry_of_an_operator)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct base_id email = posting_submit(fixture, "b@x.org");
	struct link_token token = {TOKEN_UNSUBSCRIBE, email, 0, 0};
	AUTO(store_suppression) entry =
	    person_suppress_add(fixture->service, &fixture->key.workspace_id, "b@x.org",
		&(struct store_suppression_state){SUPPRESSION_UNSUBSCRIBED, SUPPRESSION_AUTOMATION},
		&posting_api, NULL);

	cr_assert(entry);
	unsubscribe_expect_state("off",
	    consent_unsubscribe(fixture->service, &token, &posting_leave, NULL), SUBSCRIPTION_OFF);
	unsubscribe_expect_state("still",
	    consent_unsubscribe(fixture->service, &token, &posting_return, NULL), SUBSCRIPTION_OFF);
	cr_expect(person_suppress_remove(
	    fixture->service, &fixture->key.workspace_id, "b@x.org", &posting_api, NULL, NULL));
}

Test(unsubscribe, is_told_of_each_email)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct base_id first = posting_submit(fixture, "b@x.org"),
		       second = posting_submit(fixture, "B@x.org");
	struct link_token tokens[] = {
	    {TOKEN_UNSUBSCRIBE, first, 0, 0}, {TOKEN_UNSUBSCRIBE, second, 0, 0}};

	for (guint i = 0; i < 4; i++)
		unsubscribe_expect_state("off",
		    consent_unsubscribe(fixture->service, &tokens[i % 2], &posting_leave, NULL),
		    SUBSCRIPTION_OFF);
	lib_unsubscribe_expect_events(fixture, "first", &first, "0 unsubscribed\n");
	lib_unsubscribe_expect_events(fixture, "second", &second, "0 unsubscribed\n");
}

Test(unsubscribe, leaves_other_reasons_on_the_list)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	const struct {
		enum store_suppression_reason reason;
		enum store_suppression_scope scope;
	} cases[] = {
	    {SUPPRESSION_BOUNCED, SUPPRESSION_ALL},
	    {SUPPRESSION_COMPLAINED, SUPPRESSION_ALL},
	    {SUPPRESSION_MANUAL, SUPPRESSION_ALL},
	};
	struct base_id audience = unsubscribe_make_audience(fixture, &fixture->key.workspace_id);

	unsubscribe_make_contact(fixture, &fixture->key.workspace_id, &audience, "b@x.org", true);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *name = store_suppression_reasons[cases[i].reason - 1];
		struct base_id email = posting_submit(fixture, "b@x.org");
		struct link_token token = {TOKEN_UNSUBSCRIBE, email, 0, 0};
		AUTO(store_suppression) put =
		    person_suppress_add(fixture->service, &fixture->key.workspace_id, "b@x.org",
			&(struct store_suppression_state){cases[i].reason, cases[i].scope},
			&posting_api, NULL);
		cr_assert(put);
		unsubscribe_expect_state(name,
		    consent_unsubscribe_look(fixture->service, &token, NULL), SUBSCRIPTION_BLOCKED);
		unsubscribe_expect_state(name,
		    consent_unsubscribe(fixture->service, &token, &posting_leave, NULL),
		    SUBSCRIPTION_BLOCKED);
		unsubscribe_expect_counts(
		    fixture, name, &fixture->key.workspace_id, &audience, 1, 1);
		lib_unsubscribe_expect_events(fixture, name, &email, "0 unsubscribed\n");
		unsubscribe_expect_state(name,
		    consent_unsubscribe(fixture->service, &token, &posting_return, NULL),
		    SUBSCRIPTION_BLOCKED);
		unsubscribe_expect_counts(
		    fixture, name, &fixture->key.workspace_id, &audience, 1, 0);
		AUTO(store_suppression) still = person_suppress_get(
		    fixture->service, &fixture->key.workspace_id, "b@x.org", NULL);
		cr_assert(still, "%s", name);
		cr_expect_eq(still->reason, cases[i].reason);
		cr_assert(person_suppress_remove(fixture->service, &fixture->key.workspace_id,
		    "b@x.org", &posting_api, NULL, NULL));
	}
}

/* A failure in the middle changes nothing. */
Test(unsubscribe, happens_whole_or_not_at_all)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct base_id email = posting_submit(fixture, "b@x.org");
	struct link_token token = {TOKEN_UNSUBSCRIBE, email, 0, 0};
	struct base_id audience = unsubscribe_make_audience(fixture, &fixture->key.workspace_id);
	static const char *const broken[] = {
	    "event", "audience_counter", "suppression", "choice_contact", "consent"};

	unsubscribe_make_contact(fixture, &fixture->key.workspace_id, &audience, "b@x.org", true);
	for (gsize i = 0; i < G_N_ELEMENTS(broken); i++) {
		g_autofree char *away = g_strdup_printf("RENAME TABLE %s TO away", broken[i]);
		g_autofree char *back = g_strdup_printf("RENAME TABLE away TO %s", broken[i]);
		test_db_plain(fixture->db, away);
		cr_expect_not(consent_unsubscribe(fixture->service, &token, &posting_leave, NULL),
		    "%s", broken[i]);
		test_db_plain(fixture->db, back);
		unsubscribe_expect_counts(
		    fixture, broken[i], &fixture->key.workspace_id, &audience, 1, 0);
		lib_unsubscribe_expect_events(fixture, broken[i], &email, "");
		cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM suppression"), 0);
	}
	unsubscribe_expect_state("then",
	    consent_unsubscribe(fixture->service, &token, &posting_leave, NULL), SUBSCRIPTION_OFF);
}

Test(unsubscribe, takes_messages_for_its_address)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct base_id id = posting_submit(fixture, "b@x.org c@x.org");
	AUTO(store_email) email = fixture_email(fixture, &id);
	g_autofree char *address = link_tracking_unsubscribe_address(fixture->service, email, 1);
	g_autofree char *upper = g_ascii_strup(address, -1);
	g_autofree char *other = g_strdup(address);
	other[10] = other[10] == '0' ? '1' : '0';
	g_autofree char *local = g_strndup(address, strcspn(address, "@"));
	g_autofree char *field = g_strdup_printf("Ann <u+@x.org>, \"C+\" <%s>", address);
	g_autofree char *glued = g_strconcat("b", address, NULL);
	AUTO(store_email) gone = store_email_new();
	gone->domain = g_strdup("example.com");
	g_autofree char *nobody = link_tracking_unsubscribe_address(fixture->service, gone, 0);
	const struct {
		const char *name, *address;
		bool want;
	} cases[] = {
	    {"a character changed", other, false},
	    {"no address", "u+", false},
	    {"no token", "u+abc@send.example.com", false},
	    {"somebody's", "ann@example.com", false},
	    {"empty", "", false},
	    {"of an email that is gone", nobody, false},
	    {"behind something else", glued, false},
	    {"as written", address, true},
	    {"its local part", local, true},
	    {"in a field", field, true},
	    {"in upper case", upper, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool ours = !cases[i].want;
		g_autoptr(GError) error = NULL;

		cr_expect(consent_unsubscribe_by_address(
			      fixture->service, cases[i].address, &ours, &error),
		    "%s: %s", cases[i].name, error ? error->message : "");
		cr_expect_eq(ours, cases[i].want, "%s: got %d", cases[i].name, ours);
		lib_unsubscribe_expect_events(
		    fixture, cases[i].name, &id, cases[i].want ? "1 unsubscribed\n" : "");
	}
}

/* posthouse report gets them with all other mail for the sending domain. */
Test(unsubscribe, is_found_among_reports)
{
	AUTO(fixture) fixture = fixture_open(NULL, URL);
	struct base_id id = posting_submit(fixture, "b@x.org c@x.org");
	AUTO(store_email) email = fixture_email(fixture, &id);
	g_autofree char *address = link_tracking_unsubscribe_address(fixture->service, email, 0);
	g_autofree char *other = link_tracking_unsubscribe_address(fixture->service, email, 1);
	g_autofree char *local = g_strndup(address, strcspn(address, "@"));
	g_autofree char *in_header =
	    g_strdup_printf("From: <c@x.org>\nTo: <%s>\nSubject: unsubscribe\n\nPlease.\n", other);
	g_autofree char *quoted = g_strdup_printf("From: <c@x.org>\nTo: <ann@example.com>\n\n"
						  "> List-Unsubscribe: <mailto:%s>\n",
	    address);
	static const char plain[] = "From: <b@x.org>\nTo: undisclosed\nSubject: x\n\n\n";
	const struct {
		const char *name, *text, *envelope;
		enum feedback_report_outcome want;
		const char *want_events;
	} cases[] = {
	    {"to somebody else", plain, "b+1@send.example.com", REPORT_NONE, ""},
	    {"in what it quotes", quoted, NULL, REPORT_NONE, ""},
	    {"by its envelope", plain, address, REPORT_UNSUBSCRIBED, "0 unsubscribed\n"},
	    {"by its local part", plain, local, REPORT_UNSUBSCRIBED, "0 unsubscribed\n"},
	    {"by its header", in_header, NULL, REPORT_UNSUBSCRIBED,
		"0 unsubscribed\n1 unsubscribed\n"},
	    {"once more", in_header, NULL, REPORT_UNSUBSCRIBED, "0 unsubscribed\n1 unsubscribed\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *const envelope[] = {cases[i].envelope, NULL};
		struct feedback_report_result result;
		g_autoptr(GError) error = NULL;

		cr_assert(feedback_report(fixture->service, cases[i].text, strlen(cases[i].text),
			      envelope, &result, &error),
		    "%s: %s", cases[i].name, error ? error->message : "");
		cr_expect_eq(result.outcome, cases[i].want, "%s: got %d, want %d", cases[i].name,
		    result.outcome, cases[i].want);
		lib_unsubscribe_expect_events(fixture, cases[i].name, &id, cases[i].want_events);
	}
	unsubscribe_expect_state("after all",
	    consent_unsubscribe_look(
		fixture->service, &(struct link_token){TOKEN_UNSUBSCRIBE, id, 0, 0}, NULL),
	    SUBSCRIPTION_OFF);
}
