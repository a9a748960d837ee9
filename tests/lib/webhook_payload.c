/* SPDX-License-Identifier: MIT */
/* The deliveries of events of emails, contacts and domains: their rows, and their exact payloads.
 */
#include "webhook/payload.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "consent/consent.h"
#include "consent/unsubscribe.h"
#include "db/transaction.h"
#include "email/schedule.h"
#include "import/import.h"
#include "json/strict.h"
#include "link/engagement.h"
#include "link/token.h"
#include "link/token_cut.h"
#include "link/tracking.h"
#include "person/erase.h"
#include "store/person/audience.h"
#include "store/webhook/enqueue.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"
#include "tests/support/hooks.h"

/* A time at which emails are to leave; times of 13 digits that begin with 1 are masked. */
#define LATER 2000000000000

#define URL "[service]\nurl = https://mail.example.com\n"

static struct fixture *fixture;
static struct base_id hook;

static void
webhook_payload_begin(void)
{
	base_clock_set(LATER - 10000000);
	fixture = fixture_open(NULL, URL);
	hook = test_hooks_add(fixture->db, &fixture->key.workspace_id, WEBHOOK_ALL, true);
}

static void
webhook_payload_end(void)
{
	fixture_close(fixture);
}

TestSuite(webhook_payload, .init = webhook_payload_begin, .fini = webhook_payload_end);

static void
webhook_payload_expect(const char *name, const char *want)
{
	test_hooks_expect(fixture->service, &hook, name, want);
}

static bool
webhook_payload_insert(struct db *db, void *event, GError **error)
{
	return store_event_insert(db, event, 1, error);
}

#define EMAIL                                                                                      \
	"\"email_id\":\"#1\",\"email_type\":\"transactional\",\"from\":\"Ann <a@example.com>\","   \
	"\"to\":[\"b@x.org\",\"c@x.org\"],\"subject\":\"Hello\",\"tags\":{\"order\":\"7\"},"       \
	"\"created\":T,\"scheduled_at\":"

static struct base_id
webhook_payload_submit(gint64 scheduled_at)
{
	const char *const to[] = {"b@x.org", "Cid <c@x.org>", NULL};
	struct email_submission submission = fixture_submission();
	static const char text[] = "{\"order\":\"7\"}";
	AUTO(json) tags = json_parse(text, strlen(text), NULL);

	submission.from = "Ann <a@example.com>";
	submission.to = (const char **)to;
	submission.tags = tags;
	submission.scheduled_at = scheduled_at;
	return posting_store(fixture, &submission);
}

/* Each status of a recipient, with all that goes with it. */
Test(webhook_payload, is_that_of_a_recipients_event)
{
	static const struct {
		struct store_event event;
		const char *want;
	} cases[] = {
	    {{.status = EVENT_SENT},
		"email.sent {" EMAIL "null,\"recipient\":\"c@x.org\",\"event\":"
		"{\"status\":\"sent\",\"timestamp\":T}}\n"},
	    {{.status = EVENT_DELIVERED},
		"email.delivered {" EMAIL "null,\"recipient\":\"c@x.org\",\"event\":"
		"{\"status\":\"delivered\",\"timestamp\":T}}\n"},
	    {{.status = EVENT_DELAYED,
		 .smtp_response = "450 4.2.1 later",
		 .enhanced_code = "4.2.1",
		 .relay = "pro"},
		"email.delayed {" EMAIL "null,\"recipient\":\"c@x.org\",\"event\":"
		"{\"status\":\"delayed\",\"timestamp\":T,\"relay\":\"pro\","
		"\"smtp_response\":\"450 4.2.1 later\",\"enhanced_code\":\"4.2.1\"}}\n"},
	    {{.status = EVENT_BOUNCED,
		 .smtp_response = "550 5.1.1 no",
		 .enhanced_code = "5.1.1",
		 .bounce_type = BOUNCE_PERMANENT},
		"email.bounced {" EMAIL "null,\"recipient\":\"c@x.org\",\"event\":"
		"{\"status\":\"bounced\",\"timestamp\":T,\"smtp_response\":\"550 5.1.1 no\","
		"\"enhanced_code\":\"5.1.1\",\"type\":\"Permanent\"}}\n"},
	    {{.status = EVENT_COMPLAINED},
		"email.complained {" EMAIL "null,\"recipient\":\"c@x.org\",\"event\":"
		"{\"status\":\"complained\",\"timestamp\":T}}\n"},
	    {{.status = EVENT_OPENED, .ip = "192.0.2.1", .user_agent = "Ä \"q\" \xF0\x9F\x90\x98"},
		"email.opened {" EMAIL "null,\"recipient\":\"c@x.org\",\"event\":"
		"{\"status\":\"opened\",\"timestamp\":T,\"ip\":\"192.0.2.1\",\"user_agent\":"
		"\"Ä \\\"q\\\" \xF0\x9F\x90\x98\",\"automated\":false}}\n"},
	    {{.status = EVENT_CLICKED,
		 .ip = "192.0.2.1",
		 .link = "https://x.org/?a=1&b=2",
		 .automated = true},
		"email.clicked {" EMAIL "null,\"recipient\":\"c@x.org\",\"event\":"
		"{\"status\":\"clicked\",\"timestamp\":T,\"ip\":\"192.0.2.1\",\"user_agent\":null,"
		"\"link\":\"https://x.org/?a=1&b=2\",\"automated\":true}}\n"},
	    {{.status = EVENT_FAILED, .smtp_response = "gave up"},
		"email.failed {" EMAIL "null,\"recipient\":\"c@x.org\",\"event\":"
		"{\"status\":\"failed\",\"timestamp\":T,\"smtp_response\":\"gave up\"}}\n"},
	    {{.status = EVENT_SUPPRESSED},
		"email.suppressed {" EMAIL "null,\"recipient\":\"c@x.org\",\"event\":"
		"{\"status\":\"suppressed\",\"timestamp\":T}}\n"},
	    {{.status = EVENT_UNSUBSCRIBED},
		"email.unsubscribed {" EMAIL "null,\"recipient\":\"c@x.org\",\"event\":"
		"{\"status\":\"unsubscribed\",\"timestamp\":T}}\n"},
	};
	struct base_id email = webhook_payload_submit(0);

	fixture->is_altered = true;
	webhook_payload_expect("accepted", "");
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct store_event event = cases[i].event;
		g_autoptr(GError) error = NULL;

		event.workspace_id = fixture->key.workspace_id;
		event.email_id = email;
		event.recipient = 1;
		event.timestamp = base_clock_now();
		cr_assert(db_transact(fixture->service->db, webhook_payload_insert, &event, &error),
		    "%s", error ? error->message : "");
		webhook_payload_expect(store_event_name(event.status), cases[i].want);
	}
}

/* A link that a person followed may hold the page on which that person unsubscribes. */
Test(webhook_payload, has_no_token_that_acts_for_the_recipient)
{
	struct base_id email = webhook_payload_submit(0);
	g_autofree char *page =
	    link_tracking_unsubscribe_url(fixture->service, &(struct store_email){.id = email}, 1);
	g_autofree char *link = g_strconcat("https://x.org/?to=", page, NULL);
	struct store_event event = {.workspace_id = fixture->key.workspace_id,
	    .email_id = email,
	    .recipient = 1,
	    .timestamp = base_clock_now(),
	    .status = EVENT_CLICKED,
	    .link = link};
	g_autoptr(GError) error = NULL;

	fixture->is_altered = true;
	webhook_payload_expect("accepted", "");
	cr_assert(db_transact(fixture->service->db, webhook_payload_insert, &event, &error), "%s",
	    error ? error->message : "");
	webhook_payload_expect("clicked",
	    "email.clicked {" EMAIL "null,\"recipient\":\"c@x.org\",\"event\":"
	    "{\"status\":\"clicked\",\"timestamp\":T,\"ip\":null,\"user_agent\":null,"
	    "\"link\":\"https://x.org/?to=https://mail.example.com/t/u/" TOKEN_CUT
	    "\",\"automated\":false}}\n");
}

static bool
webhook_payload_move(struct db *db, void *email, GError **error)
{
	return db_run(db, "UPDATE email SET scheduled_at = scheduled_at + 1 WHERE id = ?",
		   DB_VALUES(db_id(email)), NULL, error) &&
	       store_webhook_enqueue_email(
		   db, &fixture->key.workspace_id, email, WEBHOOK_EMAIL_SCHEDULED, error);
}

/* Each tells the time that was set then. */
Test(webhook_payload, is_that_of_a_scheduled_email)
{
	struct base_id email = webhook_payload_submit(LATER);
	g_autoptr(GError) error = NULL;

	cr_assert(db_transact(fixture->service->db, webhook_payload_move, &email, &error), "%s",
	    error ? error->message : "");
	cr_assert(
	    email_schedule_cancel(fixture->service, &fixture->key.workspace_id, &email, &error),
	    "%s", error ? error->message : "");
	webhook_payload_expect("scheduled, moved, cancelled",
	    "email.scheduled {" EMAIL "2000000000000,\"recipient\":null,\"event\":null}\n"
	    "email.scheduled {" EMAIL "2000000000001,\"recipient\":null,\"event\":null}\n"
	    "email.cancelled {" EMAIL "2000000000001,\"recipient\":null,\"event\":null}\n");
	cr_expect(
	    !email_schedule_cancel(fixture->service, &fixture->key.workspace_id, &email, NULL));
	webhook_payload_expect("cancelled again", "");
}

static struct base_id audience;

static struct store_contact *
webhook_payload_make(const char *email, const char *first_name, bool subscribed)
{
	struct store_contact *contact = g_new0(struct store_contact, 1);

	contact->workspace_id = fixture->key.workspace_id;
	contact->audience_id = audience;
	contact->email = g_strdup(email);
	contact->address = g_ascii_strdown(email, -1);
	contact->first_name = g_strdup(first_name);
	contact->is_subscribed = subscribed;
	return contact;
}

static struct base_id
webhook_payload_create(
    const char *email, const char *first_name, const struct store_consent_override *override)
{
	AUTO(store_contact) contact = webhook_payload_make(email, first_name, true);
	g_autoptr(GError) error = NULL;

	cr_assert(consent_create(fixture->service, contact, true, &posting_api, override, &error),
	    "%s", error ? error->message : "");
	return contact->id;
}

static void
change(const struct base_id *id, const struct store_contact_change *given)
{
	struct store_contact_change change = *given;
	g_autoptr(GError) error = NULL;

	change.act = &posting_api;
	cr_assert(consent_change(fixture->service, &fixture->key.workspace_id, &audience, id,
		      &change, NULL, &error),
	    "%s", error ? error->message : "");
}

#define CONTACT(email, first, subscribed)                                                          \
	"{\"contact\":{\"id\":\"#1\",\"first_name\":" first ",\"last_name\":null,"                 \
	"\"email\":\"" email "\",\"is_subscribed\":" subscribed ",\"created\":T,"                  \
	"\"updated\":T},\"audience_id\":\"#2\",\"changed\":["
#define ADA "\"Ad\xC3\xA4 \\\"\xF0\x9F\x90\x98\\\\\\u0001\""

static void
begin_contacts(void)
{
	webhook_payload_begin();
	cr_assert(store_audience_create(
	    fixture->db, &fixture->key.workspace_id, NULL, "N", &audience, NULL));
}

TestSuite(webhook_contact, .init = begin_contacts, .fini = webhook_payload_end);

Test(webhook_contact, is_told_from_beginning_to_end)
{
	struct base_id id =
	    webhook_payload_create("Ada@x.org", "Ad\xC3\xA4 \"\xF0\x9F\x90\x98\\\x01", NULL);
	webhook_payload_expect(
	    "created", "contact.created " CONTACT("Ada@x.org", ADA, "true") "]}\n");
	change(&id, &(struct store_contact_change){.first_name_given = true,
			.first_name = "Ad\xC3\xA4 \"\xF0\x9F\x90\x98\\\x01"});
	webhook_payload_expect("the same", "");
	change(&id, &(struct store_contact_change){0});
	webhook_payload_expect("nothing", "");
	change(&id, &(struct store_contact_change){
			.email = "Eva@x.org", .address = "eva@x.org", .first_name_given = true});
	webhook_payload_expect("email and name",
	    "contact.updated " CONTACT("Eva@x.org", "null", "true") "\"email\",\"first_name\"]}\n");
	change(&id, &(struct store_contact_change){.is_subscribed_given = true});
	webhook_payload_expect("unsubscribed",
	    "contact.updated " CONTACT("Eva@x.org", "null",
		"false") "\"is_subscribed\"]}\n"
			 "contact.unsubscribed " CONTACT("Eva@x.org", "null", "false") "]}\n");
	change(&id,
	    &(struct store_contact_change){.is_subscribed_given = true, .is_subscribed = true});
	webhook_payload_expect("subscribed",
	    "contact.updated " CONTACT("Eva@x.org", "null", "true") "\"is_subscribed\"]}\n");
	cr_assert(store_contact_remove(
	    fixture->service->db, &fixture->key.workspace_id, &audience, &id, NULL, NULL));
	webhook_payload_expect(
	    "deleted", "contact.deleted " CONTACT("Eva@x.org", "null", "true") "]}\n");
	AUTO(store_contact) off = webhook_payload_make("off@x.org", NULL, false);
	cr_assert(consent_create(fixture->service, off, true, &posting_api, NULL, NULL));
	webhook_payload_expect("created unsubscribed",
	    "contact.created " CONTACT("off@x.org", "null", "false") "]}\n");
}

/* The person alone: no contact.updated; and an override after it. */
Test(webhook_contact, is_told_when_the_person_leaves)
{
	static const struct store_consent_override override = {.reason = "asked by phone"};
	webhook_payload_create("ada@x.org", NULL, NULL);
	struct base_id email = posting_submit(fixture, "ada@x.org");
	struct link_token token = {TOKEN_UNSUBSCRIBE, email, 0, 0};
	webhook_payload_expect(
	    "created", "contact.created " CONTACT("ada@x.org", "null", "true") "]}\n");

	AUTO(consent_subscriber) off =
	    consent_unsubscribe(fixture->service, &token, &posting_leave, NULL);
	cr_assert(off);
	webhook_payload_expect("left",
	    "contact.unsubscribed " CONTACT("ada@x.org", "null",
		"false") "]}\n"
			 "email.unsubscribed {\"email_id\":\"#3\",\"email_type\":\"transactional\","
			 "\"from\":\"a@example.com\",\"to\":[\"ada@x.org\"],\"subject\":\"Hello\","
			 "\"tags\":{},"
			 "\"created\":T,\"scheduled_at\":null,\"recipient\":\"ada@x.org\","
			 "\"event\":{\"status\":\"unsubscribed\",\"timestamp\":T}}\n");
	AUTO(consent_subscriber) again =
	    consent_unsubscribe(fixture->service, &token, &posting_leave, NULL);
	cr_assert(again);
	webhook_payload_expect("left again", "");
	AUTO(consent_subscriber) on =
	    consent_unsubscribe(fixture->service, &token, &posting_return, NULL);
	cr_assert(on);
	webhook_payload_expect("came back",
	    "contact.updated " CONTACT("ada@x.org", "null", "true") "\"is_subscribed\"]}\n");
	AUTO(consent_subscriber) gone =
	    consent_unsubscribe(fixture->service, &token, &posting_leave, NULL);
	cr_assert(gone);
	test_db_plain(fixture->db, "DELETE FROM webhook_delivery");
	cr_assert(store_audience_create(
	    fixture->db, &fixture->key.workspace_id, NULL, "M", &audience, NULL));
	webhook_payload_create("ada@x.org", NULL, &override);
	webhook_payload_expect("created against the choice",
	    "contact.created " CONTACT("ada@x.org", "null", "true") "]}\n");
}

static bool
webhook_payload_unsubscribe(struct db *db, void *context, GError **error)
{
	return consent_subscribe(db, fixture->service,
	    &(struct consent_subject){&fixture->key.workspace_id, context, &posting_api, NULL},
	    false, error);
}

/* The contact of each audience; contact.updated besides, as when it is changed itself. */
Test(webhook_contact, is_told_when_an_operator_unsubscribes_the_person)
{
	webhook_payload_create("ada@x.org", NULL, NULL);
	test_db_plain(fixture->db, "DELETE FROM webhook_delivery");
	cr_assert(db_transact(
	    fixture->service->db, webhook_payload_unsubscribe, (void *)"ada@x.org", NULL));
	webhook_payload_expect("unsubscribed",
	    "contact.updated " CONTACT("ada@x.org", "null",
		"false") "\"is_subscribed\"]}\n"
			 "contact.unsubscribed " CONTACT("ada@x.org", "null", "false") "]}\n");
	cr_assert(db_transact(
	    fixture->service->db, webhook_payload_unsubscribe, (void *)"ada@x.org", NULL));
	webhook_payload_expect("unsubscribed again", "");
}

/* Imports, erasures, and audiences that are removed. */
Test(webhook_contact, is_not_told_in_bulk)
{
	const struct import_contact contact = {.fields.email = "ada@x.org"};
	AUTO(import) import = import_new(
	    fixture->service, &fixture->key.workspace_id, &audience, &(struct import_options){0});
	struct store_erasure erasure;

	cr_assert(import_add(import, &contact, NULL) && import_flush(import, NULL));
	webhook_payload_expect("imported", "");
	cr_assert(person_erase(
	    fixture->service, &fixture->key.workspace_id, "ada@x.org", &erasure, NULL));
	webhook_payload_expect("erased", "");
	webhook_payload_create("eva@x.org", NULL, NULL);
	test_db_plain(fixture->db, "DELETE FROM webhook_delivery");
	cr_assert(store_audience_remove(
	    fixture->service->db, &fixture->key.workspace_id, &audience, NULL));
	webhook_payload_expect("removed with its audience", "");
}

static gint64
webhook_payload_count(const char *sql)
{
	return test_db_number(fixture->db, sql);
}

/* Each webhook has a delivery of its own of what it wants; nothing is left of what nobody wants. */
Test(webhook_contact, is_told_to_whom_it_concerns)
{
	const struct base_id *ours = &fixture->key.workspace_id;
	struct base_id theirs = base_id_new();
	guint wanted = WEBHOOK_BIT(WEBHOOK_CONTACT_UPDATED) | WEBHOOK_BIT(WEBHOOK_EMAIL_SENT);
	struct base_id some = test_hooks_add(fixture->db, ours, wanted, true);
	struct base_id off = test_hooks_add(fixture->db, ours, WEBHOOK_ALL, false);
	struct base_id other = test_hooks_add(fixture->db, &theirs, WEBHOOK_ALL, true);
	struct base_id id = webhook_payload_create("ada@x.org", NULL, NULL);
	const char *updated =
	    "contact.updated " CONTACT("ada@x.org", "\"Ada\"", "true") "\"first_name\"]}\n";
	g_autofree char *all = g_strconcat(
	    "contact.created " CONTACT("ada@x.org", "null", "true") "]}\n", updated, NULL);

	change(&id, &(struct store_contact_change){.first_name_given = true, .first_name = "Ada"});
	cr_expect_eq(webhook_payload_count("SELECT COUNT(DISTINCT id) FROM webhook_delivery"), 3);
	cr_expect_eq(
	    webhook_payload_count("SELECT COUNT(DISTINCT event_id) FROM webhook_delivery"), 2);
	cr_expect_eq(
	    webhook_payload_count(
		"SELECT COUNT(*) FROM webhook_delivery WHERE LEFT(id, 8) <>"
		" LEFT(event_id, 8) OR SUBSTR(HEX(id), 13, 1) <> '7' OR status <> 1"
		" OR attempts <> 0 OR next_attempt NOT BETWEEN created - 1 AND created + 9000"),
	    0);
	test_hooks_expect(fixture->service, &some, "some", updated);
	test_hooks_expect(fixture->service, &off, "off", "");
	test_hooks_expect(fixture->service, &other, "of another workspace", "");
	webhook_payload_expect("all", all);
	test_db_plain(fixture->db, "DELETE FROM webhook_event");
	test_db_plain(fixture->db, "UPDATE webhook SET enabled = 0");
	webhook_payload_create("eva@x.org", NULL, NULL);
	cr_expect_eq(webhook_payload_count("SELECT COUNT(*) FROM webhook_event"), 0);
}

static void
webhook_payload_check_domain(enum store_domain_status status, enum store_domain_error fault)
{
	const struct base_id *workspace = &fixture->key.workspace_id;
	g_autoptr(GError) error = NULL;
	bool kept;

	cr_assert(store_domain_claim_one(
	    fixture->service->db, workspace, &fixture->domain->id, 7, 0, &error));
	AUTO(store_domain) domain =
	    store_domain_get(fixture->service->db, workspace, &fixture->domain->id, &error);
	domain->status = status;
	domain->check.error = fault;
	cr_assert(store_domain_claim_record(fixture->service->db, domain, 7, &kept, &error) && kept,
	    "%s", error ? error->message : "");
}

#define DOMAIN(status, fault, previous)                                                            \
	"{\"domain\":{\"id\":\"#1\",\"name\":\"example.com\",\"status\":\"" status                 \
	"\",\"error_type\":" fault "},\"previous_status\":\"" previous "\"}\n"

Test(webhook_payload, is_that_of_a_domain)
{
	test_db_plain(fixture->db, "UPDATE domain SET status = 1, trusted = 0");
	webhook_payload_check_domain(DOMAIN_PENDING, DOMAIN_TYPE_NOT_FOUND);
	webhook_payload_expect("pending", "");
	webhook_payload_check_domain(DOMAIN_SUCCESS, DOMAIN_ERROR_NONE);
	webhook_payload_expect("verified", "domain.verified " DOMAIN("SUCCESS", "null", "PENDING"));
	webhook_payload_check_domain(DOMAIN_SUCCESS, DOMAIN_ERROR_NONE);
	webhook_payload_expect("still verified", "");
	webhook_payload_check_domain(DOMAIN_TEMPORARY_FAILURE, DOMAIN_TYPE_NOT_FOUND);
	webhook_payload_expect("warning",
	    "domain.warning " DOMAIN("TEMPORARY_FAILURE", "\"TYPE_NOT_FOUND\"", "SUCCESS"));
	webhook_payload_check_domain(DOMAIN_FAILED, DOMAIN_INVALID_VALUE);
	webhook_payload_expect(
	    "failed", "domain.failed " DOMAIN("FAILED", "\"INVALID_VALUE\"", "TEMPORARY_FAILURE"));
	cr_assert(store_domain_trust(
	    fixture->service->db, &fixture->key.workspace_id, "example.com", NULL));
	webhook_payload_expect("trusted", "domain.verified " DOMAIN("SUCCESS", "null", "FAILED"));
	cr_assert(store_domain_trust(
	    fixture->service->db, &fixture->key.workspace_id, "example.com", NULL));
	webhook_payload_expect("trusted again", "");
}

static bool
webhook_payload_test(struct db *db, void *delivery, GError **error)
{
	return store_webhook_enqueue_test(db, &fixture->key.workspace_id, &hook, delivery, error);
}

/* A webhook that is off is told too. Its delivery is nobody's but the caller's. */
Test(webhook_payload, is_that_of_a_test)
{
	struct base_id delivery;

	test_db_plain(fixture->db, "UPDATE webhook SET enabled = 0, events = 2");
	cr_assert(db_transact(fixture->service->db, webhook_payload_test, &delivery, NULL));
	cr_expect_eq(webhook_payload_count(
			 "SELECT COUNT(*) FROM webhook_delivery WHERE next_attempt IS NULL"),
	    1);
	AUTO(db_rows) rows = db_select(fixture->db, "SELECT 1 FROM webhook_delivery WHERE id = ?",
	    DB_VALUES(db_id(&delivery)), NULL);
	cr_expect(db_rows_next(rows));
	char id[ID_TEXT_SIZE];
	g_autofree char *got = test_hooks_told(fixture->service, &hook);
	cr_expect_str_eq(got, "webhook.test {\"webhook_id\":\"#1\"}\n", "got %s", got);
	g_autofree char *data = test_db_text(fixture->db, "SELECT data FROM webhook_event");
	cr_expect(strstr(data, base_id_format(&hook, id)));
}

/* Emails and events that were removed have no payload; the others of the batch have one. */
Test(webhook_payload, is_none_of_what_is_gone)
{
	struct base_id first = webhook_payload_submit(LATER),
		       second = webhook_payload_submit(LATER);
	struct store_event event = {.workspace_id = fixture->key.workspace_id,
	    .email_id = second,
	    .recipient = 1,
	    .status = EVENT_SENT,
	    .timestamp = 1};
	g_autoptr(GError) error = NULL;

	fixture->is_altered = true;
	cr_assert(db_transact(fixture->service->db, webhook_payload_insert, &event, &error), "%s",
	    error ? error->message : "");
	cr_assert(db_run(
	    fixture->db, "DELETE FROM email WHERE id = ?", DB_VALUES(db_id(&first)), NULL, NULL));
	test_db_plain(fixture->db, "DELETE FROM event");
	webhook_payload_expect("half", "email.scheduled gone\n"
				       "email.scheduled {" EMAIL "2000000000000,\"recipient\":null,"
				       "\"event\":null}\nemail.sent gone\n");
}

static bool
insert_many(struct db *db, void *array, GError **error)
{
	GArray *events = array;

	return store_event_insert(
	    db, (struct store_event *)(void *)events->data, events->len, error);
}

static GArray *
webhook_payload_events_of(const struct base_id *email, guint recipients, guint events)
{
	static gint64 passed;
	GArray *array = g_array_new(FALSE, TRUE, sizeof(struct store_event));

	for (guint i = 0; i < events; i++) {
		const struct store_event event = {.workspace_id = fixture->key.workspace_id,
		    .email_id = *email,
		    .type = EMAIL_TRANSACTIONAL,
		    .recipient = i % recipients,
		    .status = EVENT_SENT,
		    .timestamp = base_clock_now() + passed++};

		g_array_append_val(array, event);
	}
	return array;
}

/* One webhook more costs no round trip, and each event is told once, in order. */
Test(webhook_payload, costs_no_round_trip)
{
	static const guint counts[] = {1, 3, 4, 120};
	guint took[2][G_N_ELEMENTS(counts)];

	fixture->is_altered = true;
	fixture_use_proxy(fixture);
	fixture_renew(fixture, NULL, URL);
	struct base_id email = webhook_payload_submit(0);
	for (guint i = 0; i < 4 * G_N_ELEMENTS(counts); i++) {
		guint on = i / 2 % 2, place = i / 4;
		g_autoptr(GArray) events = webhook_payload_events_of(&email, 2, counts[place]);
		g_autofree char *enable = g_strdup_printf("UPDATE webhook SET enabled = %u", on);
		g_autoptr(GError) error = NULL;

		test_db_plain(fixture->db, g_intern_string(enable));
		test_db_plain(fixture->db, "DELETE FROM webhook_delivery");
		guint before = test_proxy_commands(fixture->proxy);
		cr_assert(db_transact(fixture->service->db, insert_many, events, &error), "%s",
		    error ? error->message : "");
		took[on][place] = test_proxy_commands(fixture->proxy) - before;
		cr_expect_eq(
		    webhook_payload_count("SELECT COUNT(*) FROM webhook_delivery d JOIN event v"
					  " ON v.email_id = d.email_id AND v.id = d.event_id"
					  " AND v.timestamp = d.created AND v.status = d.type"),
		    on ? counts[place] : 0);
		cr_expect_eq(webhook_payload_count(
				 "SELECT COUNT(*) FROM webhook_delivery a JOIN webhook_delivery b"
				 " ON a.id < b.id AND a.event_id > b.event_id"),
		    0);
	}
	for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
		guint want = counts[i] > 4 ? 4 : 3;

		cr_expect_eq(took[0][i], want, "%u: %u off", counts[i], took[0][i]);
		cr_expect_eq(took[1][i], want, "%u: %u on", counts[i], took[1][i]);
	}
}

static void
answer_all(void)
{
	test_db_plain(fixture->db,
	    "INSERT IGNORE INTO webhook_attempt (webhook_id, delivery_id, number, workspace_id,"
	    " timestamp, duration, response_body) SELECT webhook_id, id, 1, workspace_id, 1, 1,"
	    " 'thank you' FROM webhook_delivery");
}

/* Erasing c@x.org leaves what was told of others, without its answers where they may name him. */
Test(webhook_contact, is_forgotten_with_the_person)
{
	struct store_erasure erasure;
	struct base_id shared = webhook_payload_submit(LATER);
	struct base_id own = posting_submit(fixture, "c@x.org");
	struct base_id others = posting_submit(fixture, "b@x.org");
	g_autoptr(GArray) of_shared = webhook_payload_events_of(&shared, 2, 2);
	g_autoptr(GArray) of_own = webhook_payload_events_of(&own, 1, 1);
	g_autoptr(GArray) of_others = webhook_payload_events_of(&others, 1, 1);

	fixture->is_altered = true;
	webhook_payload_create("c@x.org", "Cid", NULL);
	webhook_payload_create("b@x.org", "Bob", NULL);
	cr_assert(db_transact(fixture->service->db, insert_many, of_shared, NULL) &&
		  db_transact(fixture->service->db, insert_many, of_own, NULL) &&
		  db_transact(fixture->service->db, insert_many, of_others, NULL));
	answer_all();
	cr_expect_eq(webhook_payload_count("SELECT COUNT(*) FROM webhook_delivery"), 7);
	cr_assert(
	    person_erase(fixture->service, &fixture->key.workspace_id, "c@x.org", &erasure, NULL));
	cr_expect_eq(webhook_payload_count("SELECT COUNT(*) FROM webhook_delivery"), 4);
	cr_expect_eq(webhook_payload_count("SELECT COUNT(*) FROM webhook_attempt"), 4);
	cr_expect_eq(
	    webhook_payload_count("SELECT COUNT(*) FROM webhook_attempt WHERE response_body = ''"),
	    2);
	cr_expect_eq(webhook_payload_count("SELECT COUNT(*) FROM webhook_event"), 2);
	g_autofree char *got = test_hooks_told(fixture->service, &hook);
	cr_expect(
	    strstr(got, "\"to\":[\"b@x.org\"]") && strstr(got, "Bob") && !strstr(got, "c@x.org"),
	    "%s", got);
}

/* The sender changes rows of webhooks all the time. */
Test(webhook_contact, waits_for_no_change_of_a_webhook)
{
	struct base_id email = webhook_payload_submit(LATER);
	g_autoptr(GArray) events = webhook_payload_events_of(&email, 2, 5);

	fixture->is_altered = true;
	test_db_plain(fixture->service->db, "SET innodb_lock_wait_timeout = 1");
	test_db_plain(fixture->db, "START TRANSACTION");
	test_db_plain(fixture->db, "UPDATE webhook SET failures = 1, enabled = 0");
	cr_assert(db_transact(fixture->service->db, insert_many, events, NULL));
	struct base_id id = webhook_payload_create("ada@x.org", NULL, NULL);
	change(&id, &(struct store_contact_change){.is_subscribed_given = true});
	cr_assert(
	    email_schedule_cancel(fixture->service, &fixture->key.workspace_id, &email, NULL));
	test_db_plain(fixture->db, "ROLLBACK");
	cr_expect_eq(
	    webhook_payload_count("SELECT COUNT(*) FROM webhook_delivery"), 1 + 5 + 1 + 2 + 1);
}
