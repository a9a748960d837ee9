/* SPDX-License-Identifier: MIT */
#include "consent/consent.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/person.h"
#include "consent/unsubscribe.h"
#include "db/statement.h"
#include "db/transaction.h"
#include "import/import.h"
#include "link/token.h"
#include "person/erase.h"
#include "person/suppress.h"
#include "store/person/audience.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

#define REFUSED "This person has unsubscribed; override is required"

static struct fixture *fixture;
static struct base_id audience;

static struct base_id
consent_make_audience(void)
{
	struct base_id id;

	cr_assert(
	    store_audience_create(fixture->db, &fixture->key.workspace_id, NULL, "N", &id, NULL));
	return id;
}

static void
consent_begin(void)
{
	fixture = fixture_open(NULL, "[service]\nurl = https://mail.example.com\n");
	audience = consent_make_audience();
}

static void
consent_end(void)
{
	fixture_close(fixture);
}

TestSuite(consent, .init = consent_begin, .fini = consent_end);

/* The person unsubscribes by the link of a new email; it is returned for the way back. */
static struct link_token
consent_leave(const char *address)
{
	struct base_id email = posting_submit(fixture, address);
	struct link_token token = {TOKEN_UNSUBSCRIBE, email, 0, 0};
	g_autoptr(GError) error = NULL;
	AUTO(consent_subscriber) subscriber =
	    consent_unsubscribe(fixture->service, &token, &posting_leave, &error);

	cr_assert(subscriber, "%s", error ? error->message : "");
	return token;
}

static struct store_contact *
consent_make(const char *address, bool subscribed)
{
	struct store_contact *contact = g_new0(struct store_contact, 1);

	contact->workspace_id = fixture->key.workspace_id;
	contact->audience_id = audience;
	contact->email = g_strdup(address);
	contact->address = g_strdup(address);
	contact->is_subscribed = subscribed;
	return contact;
}

static struct base_id
consent_store(const char *address, bool subscribed)
{
	AUTO(store_contact) contact = consent_make(address, subscribed);

	cr_assert(store_contact_create(fixture->db, contact, NULL, NULL));
	return contact->id;
}

static bool
is_subscribed(const struct base_id *id)
{
	AUTO(store_contact) contact =
	    store_contact_get(fixture->db, &fixture->key.workspace_id, &audience, id, NULL);

	cr_assert(contact);
	return contact->is_subscribed;
}

/* The counters agree with the contacts. */
static void
expect_counters(const char *name)
{
	AUTO(store_audience) got =
	    store_audience_get(fixture->db, &fixture->key.workspace_id, &audience, NULL);
	gint64 contacts = test_db_number(fixture->db, "SELECT COUNT(*) FROM contact");
	gint64 off =
	    test_db_number(fixture->db, "SELECT COUNT(*) FROM contact WHERE is_subscribed = 0");

	cr_assert(got);
	cr_expect(got->contacts == contacts && got->unsubscribers == off,
	    "%s: %d of %d, and there are %d of %d", name, (int)got->unsubscribers,
	    (int)got->contacts, (int)off, (int)contacts);
}

static gint64
consent_count(const char *from)
{
	g_autofree char *sql = g_strdup_printf("SELECT COUNT(*) FROM %s", from);

	return test_db_number(fixture->db, sql);
}

static const struct store_consent_override plain = {NULL, NULL, NULL};

/* A new contact: the given is_subscribed, and the result with and without the person's choice. */
static const struct {
	const char *name;
	bool left, said, subscribed, override;
	bool want_stored, want_subscribed;
	gint64 want_choices;
} creations[] = {
    {"nothing said", false, false, true, false, true, true, 0},
    {"yes", false, true, true, false, true, true, 0},
    {"yes, with an override that nobody needs", false, true, true, true, true, true, 0},
    {"left, nothing said", true, false, true, false, true, false, 1},
    {"left, no", true, true, false, false, true, false, 1},
    {"left, no, with an override", true, true, false, true, true, false, 1},
    {"left, yes", true, true, true, false, false, false, 1},
    {"left, yes, with an override", true, true, true, true, true, true, 0},
    {"left, nothing said, with an override", true, false, true, true, true, true, 0},
};

Test(consent, decides_how_a_contact_is_stored)
{
	for (gsize i = 0; i < G_N_ELEMENTS(creations); i++) {
		const char *name = creations[i].name;
		g_autofree char *address = g_strdup_printf("p%zu@x.org", i);
		g_autoptr(GError) error = NULL;
		AUTO(store_contact) contact = consent_make(address, creations[i].subscribed);

		if (creations[i].left)
			consent_leave(address);
		bool stored = consent_create(fixture->service, contact, creations[i].said,
		    &posting_api, creations[i].override ? &plain : NULL, &error);
		cr_expect_eq(stored, creations[i].want_stored, "%s: %s", name,
		    error ? error->message : "stored");
		if (stored)
			cr_expect_eq(
			    is_subscribed(&contact->id), creations[i].want_subscribed, "%s", name);
		else
			cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT) &&
				      strcmp(error->message, REFUSED) == 0,
			    "%s: %s", name, error->message);
		cr_expect_eq(consent_count("choice"), creations[i].want_choices, "%s: got %d", name,
		    (int)consent_count("choice"));
		cr_expect_eq(consent_count("suppression"), creations[i].want_choices, "%s", name);
		expect_counters(name);
		test_db_plain(fixture->db, "DELETE FROM choice");
		test_db_plain(fixture->db, "DELETE FROM suppression");
	}
}

static bool
change(const struct base_id *id, const struct store_contact_change *given, bool override,
    GError **error)
{
	struct store_contact_change change = *given;

	change.act = &posting_api;
	return consent_change(fixture->service, &fixture->key.workspace_id, &audience, id, &change,
	    override ? &plain : NULL, error);
}

static const struct store_contact_change yes = {
    .is_subscribed_given = true, .is_subscribed = true, .act = &posting_api};

Test(consent, is_not_given_by_others)
{
	struct base_id id = consent_store("a@x.org", true), other = consent_store("b@x.org", true);
	static const struct store_contact_change named = {
	    .first_name_given = true, .first_name = "A"};
	static const struct store_contact_change no = {.is_subscribed_given = true};
	static const struct store_contact_change moved = {.email = "A@x.org", .address = "a@x.org"};
	g_autoptr(GError) error = NULL;

	consent_leave("A@X.org");
	cr_expect_not(is_subscribed(&id));
	cr_expect_not(change(&id, &yes, false, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT) &&
		  strcmp(error->message, REFUSED) == 0);
	cr_expect(change(&id, &named, false, NULL) && change(&id, &no, false, NULL));
	cr_expect_not(is_subscribed(&id));
	expect_counters("refused");

	/* The address comes to another contact, which was subscribed. */
	cr_assert(store_contact_remove(
	    fixture->db, &fixture->key.workspace_id, &audience, &id, NULL, NULL));
	cr_expect(change(&other, &moved, false, NULL));
	cr_expect_not(is_subscribed(&other));
	expect_counters("moved");

	cr_expect(change(&other, &yes, true, NULL));
	cr_expect(is_subscribed(&other));
	expect_counters("overridden");
	cr_expect_eq(consent_count("choice") + consent_count("choice_link") +
			 consent_count("choice_contact") + consent_count("suppression"),
	    0);
	cr_expect(change(&other, &yes, false, NULL), "the choice has ended");
}

/* An override subscribes in one audience, and removes the entry that only the person's choice made.
 */
Test(consent, is_overridden_for_one_contact)
{
	struct base_id first = audience, one = consent_store("a@x.org", true);
	audience = consent_make_audience();
	struct base_id two = consent_store("a@x.org", true);
	struct link_token token = consent_leave("a@x.org");

	cr_expect(change(&two, &yes, true, NULL));
	cr_expect(is_subscribed(&two));
	AUTO(consent_subscriber) now = consent_unsubscribe_look(fixture->service, &token, NULL);
	cr_assert(now);
	cr_expect_eq(now->state, SUBSCRIPTION_ON, "mailings reach who is subscribed");
	audience = first;
	cr_expect_not(is_subscribed(&one));
	AUTO(consent_subscriber) undone =
	    consent_unsubscribe(fixture->service, &token, &posting_return, NULL);
	cr_expect_not(is_subscribed(&one), "the choice is over, and so is its way back");
}

Test(consent, is_recorded)
{
	struct base_id id = consent_store("a@x.org", true);
	const struct store_consent_override because = {
	    "Asked by phone", &fixture->key.user_id, &fixture->key.id};
	struct link_token token = consent_leave("a@x.org");
	g_autofree char *override = g_strdup_printf(
	    "consent WHERE kind = 3 AND person = 'a@x.org' AND reason = 'Asked by phone'"
	    " AND user_id = (SELECT id FROM user) AND key_id = (SELECT id FROM api_key)"
	    " AND contact_id = (SELECT id FROM contact) AND created > 0");

	AUTO(consent_subscriber) again =
	    consent_unsubscribe(fixture->service, &token, &posting_leave, NULL);
	cr_expect_eq(consent_count("consent WHERE kind = 1"), 1, "once for each link");
	cr_assert(consent_change(
	    fixture->service, &fixture->key.workspace_id, &audience, &id, &yes, &because, NULL));
	cr_expect_eq(consent_count(override), 1);
	cr_assert(consent_change(
	    fixture->service, &fixture->key.workspace_id, &audience, &id, &yes, &because, NULL));
	cr_expect_eq(consent_count(override), 1, "nothing was overridden");
	AUTO(consent_subscriber) left =
	    consent_unsubscribe(fixture->service, &token, &posting_leave, NULL);
	AUTO(consent_subscriber) back =
	    consent_unsubscribe(fixture->service, &token, &posting_return, NULL);
	cr_expect_eq(consent_count("consent WHERE kind = 2 AND email_id IS NOT NULL"), 1);
}

static bool
lift(const struct store_consent_override *override, GError **error)
{
	return person_suppress_remove(
	    fixture->service, &fixture->key.workspace_id, "a@x.org", &posting_api, override, error);
}

static void
expect_entry(const char *name, const char *want)
{
	AUTO(store_suppression) entry =
	    person_suppress_get(fixture->service, &fixture->key.workspace_id, "a@x.org", NULL);
	g_autofree char *got =
	    entry ? g_strdup_printf("%s %s", store_suppression_reasons[entry->reason - 1],
			store_suppression_scopes[entry->scope - 1])
		  : g_strdup("none");

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

Test(consent, keeps_people_on_the_list)
{
	g_autoptr(GError) error = NULL;
	struct base_id id = consent_store("a@x.org", true);
	struct link_token token = consent_leave("a@x.org");

	cr_expect_not(lift(NULL, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT) &&
		  strcmp(error->message, REFUSED) == 0);
	expect_entry("refused", "unsubscribed automation");

	/* A bounce on top of it goes, and the person's choice is seen again. */
	AUTO(store_suppression) wider =
	    person_suppress_add(fixture->service, &fixture->key.workspace_id, "a@x.org",
		&(struct store_suppression_state){SUPPRESSION_BOUNCED, SUPPRESSION_ALL},
		&posting_api, NULL);
	expect_entry("wider", "bounced all");
	cr_expect(lift(NULL, NULL));
	expect_entry("narrow again", "unsubscribed automation");
	cr_expect_not(lift(NULL, NULL));

	cr_expect(lift(&plain, NULL));
	expect_entry("overridden", "none");
	cr_expect_eq(consent_count("choice") + consent_count("choice_link"), 0);
	cr_expect_not(is_subscribed(&id), "audiences are left as they are");
	cr_expect_not(lift(&plain, &(GError *){NULL}), "there is nothing left");

	/* An earlier entry: once narrowed, it belongs to the choice and is removed with it. */
	AUTO(store_suppression) before =
	    person_suppress_add(fixture->service, &fixture->key.workspace_id, "a@x.org",
		&(struct store_suppression_state){SUPPRESSION_BOUNCED, SUPPRESSION_ALL},
		&posting_api, NULL);
	AUTO(consent_subscriber) left =
	    consent_unsubscribe(fixture->service, &token, &posting_leave, NULL);
	cr_expect(lift(NULL, NULL));
	expect_entry("narrowed", "unsubscribed automation");
	AUTO(consent_subscriber) back =
	    consent_unsubscribe(fixture->service, &token, &posting_return, NULL);
	expect_entry("taken back", "none");
}

Test(consent, outlives_an_erasure)
{
	struct store_erasure erased;
	AUTO(store_contact) contact = consent_make("a@x.org", true);

	fixture->is_altered = true;
	consent_store("a@x.org", true);
	consent_leave("a@x.org");
	cr_assert(
	    person_erase(fixture->service, &fixture->key.workspace_id, "a@x.org", &erased, NULL));
	cr_expect_eq(consent_count("choice WHERE person LIKE '%@%'") +
			 consent_count("choice_link") + consent_count("choice_contact") +
			 consent_count("consent"),
	    0, "nothing names the person");
	cr_expect_not(consent_create(fixture->service, contact, true, &posting_api, NULL, NULL));
	cr_expect(consent_create(fixture->service, contact, false, &posting_api, NULL, NULL));
	cr_expect_not(contact->is_subscribed);
	cr_expect_not(lift(NULL, NULL));
	cr_expect(lift(&plain, NULL));
	cr_expect(change(&contact->id, &yes, false, NULL));
	cr_assert(
	    person_erase(fixture->service, &fixture->key.workspace_id, "a@x.org", &erased, NULL));
	cr_expect_eq(consent_count("choice"), 0, "who has not left leaves nothing");
}

/* "2 new, 1 changed, 0 same, 3 left" of an import of all of these, subscribed by word or not. */
static char *
import(guint people, bool said, const struct store_consent_override *override)
{
	AUTO(import) import = import_new(fixture->service, &fixture->key.workspace_id, &audience,
	    &(struct import_options){.override = override});
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < people; i++) {
		g_autofree char *email = g_strdup_printf("p%u@x.org", i);
		const struct import_contact contact = {
		    .fields = {.email = email}, .is_subscribed_given = said, .is_subscribed = true};

		cr_assert(import_add(import, &contact, &error));
	}
	cr_assert(import_flush(import, &error), "%s", error ? error->message : "");
	const struct store_contact_tally *t = import_tally(import);
	return g_strdup_printf("%d new, %d changed, %d same, %d left", (int)t->created,
	    (int)t->updated, (int)t->unchanged, (int)t->left);
}

Test(consent, is_not_given_by_an_import)
{
	static const struct {
		const char *name;
		bool said, override;
		const char *want;
		gint64 want_off;
	} cases[] = {
	    {"new", false, false, "65 new, 0 changed, 0 same, 2 left", 2},
	    {"again, nothing said", false, false, "0 new, 0 changed, 65 same, 0 left", 2},
	    {"again, yes", true, false, "0 new, 0 changed, 65 same, 2 left", 2},
	    {"against them, nothing said", false, true, "0 new, 0 changed, 65 same, 0 left", 2},
	    {"against them", true, true, "0 new, 2 changed, 63 same, 0 left", 0},
	    {"after that", true, false, "0 new, 0 changed, 65 same, 0 left", 0},
	};

	consent_leave("p0@x.org");
	consent_leave("p64@x.org");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = import(65, cases[i].said, cases[i].override ? &plain : NULL);

		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].name, got);
		cr_expect_eq(consent_count("contact WHERE is_subscribed = 0"), cases[i].want_off,
		    "%s", cases[i].name);
		expect_counters(cases[i].name);
	}
	cr_expect_eq(consent_count("consent WHERE kind = 3"), 2);
	cr_expect_eq(consent_count("choice") + consent_count("suppression"), 0);
}

Test(consent, needs_a_reason_of_some_length)
{
	g_autofree char *longest = g_strnfill(LIMIT_OVERRIDE_LENGTH, 'x');
	g_autofree char *longer = g_strnfill(LIMIT_OVERRIDE_LENGTH + 1, 'x');
	const struct {
		const char *text;
		bool want, want_given;
		const char *want_reason;
	} cases[] = {
	    {NULL, true, false, NULL},
	    {"false", true, false, NULL},
	    {"true", true, true, NULL},
	    {"by phone", true, true, "by phone"},
	    {longest, true, true, longest},
	    {longer, false, false, NULL},
	    {"", false, false, NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_consent_override override = {0};
		const struct store_consent_override *given;
		g_autoptr(GError) error = NULL;

		cr_expect_eq(consent_read(cases[i].text, &override, &given, &error), cases[i].want,
		    "case %zu", i);
		cr_expect_eq(given != NULL, cases[i].want_given, "case %zu", i);
		cr_expect_eq(g_strcmp0(override.reason, cases[i].want_reason), 0, "case %zu", i);
		if (error)
			cr_expect_str_eq(error->message,
			    "override must be true or a reason of 1 to 500 characters");
	}
}

/* In each round a person unsubscribes while a client subscribes the address, in one of three ways.
 */
#define ROUNDS 60

static void *
leave_in_rounds(void *data)
{
	GArray *tokens = data;
	AUTO(service) service = service_open(fixture->settings);

	cr_assert(service_ensure(service, NULL));
	for (guint i = 0; i < tokens->len; i++) {
		g_autoptr(GError) error = NULL;
		AUTO(consent_subscriber) left = consent_unsubscribe(
		    service, &g_array_index(tokens, struct link_token, i), &posting_leave, &error);
		cr_expect(left, "%s", error ? error->message : "");
	}
	return NULL;
}

static void
lib_consent_subscribe(guint round, const struct base_id *id, const char *address)
{
	if (round % 3 == 0) {
		change(id, &yes, false, NULL);
		return;
	}
	AUTO(store_contact) contact = consent_make(address, true);
	if (round % 3 == 1) {
		consent_create(fixture->service, contact, false, &posting_api, NULL, NULL);
		return;
	}
	AUTO(import) import = import_new(
	    fixture->service, &fixture->key.workspace_id, &audience, &(struct import_options){0});
	const struct import_contact one = {.fields = {.email = address}};
	g_autoptr(GError) error = NULL;
	cr_expect(import_add(import, &one, &error) && import_flush(import, &error), "%s",
	    error ? error->message : "");
}

Test(consent, holds_in_whichever_order)
{
	g_autoptr(GArray) tokens = g_array_new(FALSE, FALSE, sizeof(struct link_token));
	struct base_id ids[ROUNDS];

	for (guint i = 0; i < ROUNDS; i++) {
		g_autofree char *address = g_strdup_printf("r%u@x.org", i);
		const struct link_token token = {
		    TOKEN_UNSUBSCRIBE, posting_submit(fixture, address), 0, 0};

		g_array_append_val(tokens, token);
		if (i % 3 == 0)
			ids[i] = consent_store(address, false);
	}
	GThread *thread = g_thread_new("leave", leave_in_rounds, tokens);
	for (guint i = 0; i < ROUNDS; i++) {
		g_autofree char *address = g_strdup_printf("r%u@x.org", i);

		lib_consent_subscribe(i, &ids[i], address);
	}
	g_thread_join(thread);
	cr_expect_eq(consent_count("choice"), ROUNDS);
	cr_expect_eq(consent_count("contact"), ROUNDS);
	cr_expect_eq(consent_count("contact WHERE is_subscribed = 1"), 0);
	expect_counters("after all");
}

/* 1. One side's changes stand in an open transaction of the test.
   2. The other side begins, and has to wait.
   3. The transaction commits; the other side must see its changes. */
struct meeting {
	const char *address;
	struct base_id contact;
	struct link_token token;
	void *(*other)(void *meeting);
	bool (*give)(struct service *service, const struct meeting *meeting, GError **error);
	GThread *thread;
	struct db *watch; /* sees that the other waits */
};

static void
let_other_begin(struct meeting *meeting)
{
	if (meeting->thread)
		return;
	meeting->thread = g_thread_new("other", meeting->other, meeting);
	test_db_wait_locked(meeting->watch, 1);
}

static void *
leave_meanwhile(void *data)
{
	const struct meeting *meeting = data;
	AUTO(service) service = service_open(fixture->settings);
	AUTO(consent_subscriber) left =
	    service_ensure(service, NULL)
		? consent_unsubscribe(service, &meeting->token, &posting_leave, NULL)
		: NULL;

	cr_expect(left);
	return NULL;
}

/* As store_contact_change: the contact is written, and its person's choice looked at. */
static bool
subscribe_slowly(struct db *db, void *context, GError **error)
{
	struct meeting *meeting = context;
	AUTO(person_suppress_keys) keys =
	    person_suppress_keys(fixture->service, &meeting->address, 1);
	struct store_choice choice;

	if (!db_run(db, "UPDATE contact SET is_subscribed = 1", NULL, 0, NULL, error) ||
	    !store_choice_find(
		db, &fixture->key.workspace_id, person_suppress_key(keys, 0), NULL, &choice, error))
		return false;
	cr_expect_not(choice.all);
	let_other_begin(meeting);
	return store_audience_count(db, &fixture->key.workspace_id, &audience, 0, -1, error);
}

static void *
subscribe_meanwhile(void *data)
{
	const struct meeting *meeting = data;
	AUTO(service) service = service_open(fixture->settings);
	AUTO(store_contact) contact = consent_make(meeting->address, true);
	g_autoptr(GError) error = NULL;

	cr_expect(service_ensure(service, NULL) &&
		      consent_create(service, contact, false, &posting_api, NULL, &error),
	    "%s", error ? error->message : "");
	return NULL;
}

static bool
leave_slowly(struct db *db, void *context, GError **error)
{
	struct meeting *meeting = context;
	const struct store_choice_link link = {meeting->token.email, 0};

	if (!store_choice_leave(
		db, &fixture->key.workspace_id, meeting->address, CONSENT_OF_PERSON, &link, error))
		return false;
	let_other_begin(meeting);
	return true;
}

Test(consent, waits_for_who_came_first)
{
	AUTO(db) watch = test_db_open(fixture->database);
	struct meeting first = {.address = "a@x.org", .other = leave_meanwhile, .watch = watch};
	struct meeting second = {
	    .address = "b@x.org", .other = subscribe_meanwhile, .watch = watch};

	first.contact = consent_store("a@x.org", false);
	first.token =
	    (struct link_token){TOKEN_UNSUBSCRIBE, posting_submit(fixture, "a@x.org"), 0, 0};
	cr_assert(db_transact(fixture->db, subscribe_slowly, &first, NULL));
	g_thread_join(first.thread);
	cr_expect_not(is_subscribed(&first.contact), "leaving came last");
	cr_assert(db_transact(fixture->db, leave_slowly, &second, NULL));
	g_thread_join(second.thread);
	cr_expect_eq(consent_count("contact WHERE is_subscribed = 1"), 0, "leaving came first");
	cr_expect_eq(consent_count("contact"), 2);
	expect_counters("after both");
}

/* Ways in which the person gets the name A. */
static bool
give_by_creation(struct service *service, const struct meeting *meeting, GError **error)
{
	AUTO(store_contact) contact = consent_make(meeting->address, true);

	contact->first_name = g_strdup("A");
	return consent_create(service, contact, false, &posting_api, NULL, error);
}

static bool
give_by_override(struct service *service, const struct meeting *meeting, GError **error)
{
	AUTO(store_contact) contact = consent_make(meeting->address, true);

	contact->first_name = g_strdup("A");
	return consent_create(service, contact, true, &posting_api, &plain, error);
}

static bool
give_by_move(struct service *service, const struct meeting *meeting, GError **error)
{
	const struct store_contact_change change = {.email = meeting->address,
	    .address = meeting->address,
	    .first_name_given = true,
	    .first_name = "A",
	    .act = &posting_api};

	return consent_change(service, &fixture->key.workspace_id, &audience, &meeting->contact,
	    &change, NULL, error);
}

static bool
give_by_import(struct service *service, const struct meeting *meeting, GError **error)
{
	AUTO(import) import = import_new(service, &fixture->key.workspace_id, &audience,
	    &(struct import_options){.start_workflows = true});
	const struct import_contact one = {
	    .fields = {.email = meeting->address, .first_name = "A"}, .first_name_given = true};

	return import_add(import, &one, error) && import_flush(import, error);
}

static void *
give_meanwhile(void *data)
{
	const struct meeting *meeting = data;
	AUTO(service) service = service_open(fixture->settings);
	g_autoptr(GError) error = NULL;

	cr_expect(service_ensure(service, NULL) && meeting->give(service, meeting, &error),
	    "%s: %s", meeting->address, error ? error->message : "");
	return NULL;
}

static bool
rename_slowly(struct db *db, void *context, GError **error)
{
	struct meeting *meeting = context;

	if (!db_run(db, "UPDATE person SET first_name = 'B' WHERE address = ?",
		DB_VALUES(db_text(meeting->address)), NULL, error))
		return false;
	let_other_begin(meeting);
	return true;
}

/* 1. The person is A.
   2. Somebody makes it B.
   3. Another one, who has begun meanwhile, makes it A, and has to tell the person's other contact.
 */
Test(consent, tells_of_names_that_are_new_by_then)
{
	AUTO(db) watch = test_db_open(fixture->database);
	struct {
		struct meeting meeting;
		bool left;
	} cases[] = {
	    {{.address = "creation@x.org", .give = give_by_creation}, false},
	    {{.address = "override@x.org", .give = give_by_override}, true},
	    {{.address = "move@x.org", .give = give_by_move}, false},
	    {{.address = "import@x.org", .give = give_by_import}, false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		consent_store(cases[i].meeting.address, true);
		if (cases[i].left)
			consent_leave(cases[i].meeting.address);
	}
	test_db_plain(fixture->db, "UPDATE person SET first_name = 'A'");
	test_db_plain(fixture->db,
	    "INSERT INTO workflow_heard (workspace_id, event_name, segment_id, workflow_id,"
	    " is_trigger, since) SELECT workspace_id, 'contact.updated', REPEAT(X'00', 16), id, 1,"
	    " 0 FROM audience");
	audience = consent_make_audience();
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct meeting *meeting = &cases[i].meeting;

		meeting->other = give_meanwhile;
		meeting->watch = watch;
		meeting->contact = consent_store("other@x.org", true);
		test_db_plain(fixture->db, "DELETE FROM automation_feedback");
		cr_assert(db_transact(fixture->db, rename_slowly, meeting, NULL));
		g_thread_join(meeting->thread);
		cr_expect_eq(consent_count("automation_feedback WHERE name = 'contact.updated'"
					   " AND properties LIKE '%[\"first_name\"]%'"),
		    1, "%s", meeting->address);
		test_db_plain(fixture->db, "DELETE FROM contact WHERE address = 'other@x.org'");
		test_db_plain(fixture->db, "DELETE FROM person WHERE address = 'other@x.org'");
	}
}
