/* SPDX-License-Identifier: MIT */
/* Submits and delivers emails of a fixture. */
#include "tests/lib/posting.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/settings.h"
#include "store/domain/key.h"
#include "store/outbox/outbox.h"
#include "store/workspace/idempotency.h"
#include "submit/submit.h"
#include "tests/support/db.h"

#define BATCH 100

const struct store_consent_act posting_api = {
    .source = CONSENT_BY_API, .author = CONSENT_OF_OPERATOR};
const struct consent_wish posting_leave = {.source = CONSENT_BY_ONE_CLICK};
const struct consent_wish posting_return = {
    .action = CONSENT_WISH_RETURN, .source = CONSENT_BY_PAGE};

char *
posting_write_id(const struct service_once *request)
{
	char id[ID_TEXT_SIZE];

	return g_strdup(base_id_format(&((const struct submit_sending *)request)->id, id));
}

struct service_idempotency
posting_key(const struct fixture *fixture, const char *name, const char *body)
{
	struct service_idempotency key = {
	    .key = {.workspace_id = fixture->key.workspace_id, .name = name},
	    .write = posting_write_id};

	store_idempotency_digest(&key.key, "/v1/emails", body, strlen(body));
	return key;
}

struct base_id
posting_store(struct fixture *fixture, const struct email_submission *submission)
{
	g_autoptr(GError) error = NULL;
	struct submit_sending *sending = submit_send_check(
	    fixture->service, &fixture->key.workspace_id, submission, NULL, false, &error);
	AUTO(service_once) request = sending ? &sending->request : NULL;

	cr_assert(request && service_once_store_one(fixture->service, request, &error), "%s",
	    error ? error->message : "");
	return sending->id;
}

struct base_id
posting_submit(struct fixture *fixture, const char *addresses)
{
	struct email_submission submission = fixture_submission();
	g_auto(GStrv) to = g_strsplit(addresses, " ", -1);

	submission.to = (const char **)to;
	return posting_store(fixture, &submission);
}

static enum store_outbox_takeover
posting_doubt(const char *owner, void *context)
{
	return TAKEOVER_DOUBT;
}

void
posting_lose(struct fixture *fixture)
{
	/* The mark of an owner that has been doubted once already. */
	test_db_plain(fixture->db, "UPDATE outbox SET owner = 'elsewhere!', token = 1");
}

struct delivery *
posting_start(struct fixture *fixture)
{
	struct store_outbox_search search = {
	    .now = base_clock_now(), .limit = BATCH, .ask = posting_doubt};
	g_autofree struct store_outbox_entry *copies = g_new0(struct store_outbox_entry, BATCH);
	g_autoptr(GError) error = NULL;
	guint count;

	cr_assert(
	    service_ensure_journal(fixture->service, &error), "%s", error ? error->message : "");
	struct store_outbox_claim claim = delivery_claim(fixture->service);
	cr_assert(store_outbox_claim(fixture->service->db, &claim, &search, copies, &count, &error),
	    "%s", error ? error->message : "");
	return delivery_start(fixture->service, &claim, copies, count, NULL);
}

void
posting_deliver(struct fixture *fixture)
{
	struct delivery *delivery = posting_start(fixture);

	cr_assert(delivery_wait(delivery, 0));
	delivery_free(delivery);
}

void
posting_expect(struct fixture *fixture, const char *name, const struct base_id *email,
    const char *want_events, const char *want_outbox)
{
	g_autofree char *events = fixture_events(fixture, email);
	g_autofree char *outbox = fixture_outbox(fixture);

	cr_expect_str_eq(
	    events, want_events, "%s: events: got\n%swant\n%s", name, events, want_events);
	cr_expect_str_eq(
	    outbox, want_outbox, "%s: outbox: got\n%swant\n%s", name, outbox, want_outbox);
}

/* dkimpy says which of the first two signatures is good. */
static const char judge[] =
    "import sys\n"
    "try:\n"
    "    import dkim, nacl.signing\n"
    "except ImportError:\n"
    "    print('missing'); sys.exit()\n"
    "records = dict(line.split(' ', 1) for line in open(sys.argv[2]).read().splitlines())\n"
    "find = lambda name, timeout=5: records.get(name.decode().rstrip('.'), '').encode()\n"
    "message = open(sys.argv[1], 'rb').read()\n"
    "print([dkim.DKIM(message).verify(idx=i, dnsfunc=find) for i in (0, 1)])\n";

static char *
records(struct fixture *fixture)
{
	g_autoptr(GPtrArray) keys =
	    store_domain_key_signing(fixture->db, &fixture->domain->id, NULL);
	GString *lines = g_string_new(NULL);

	for (guint i = 0; i < keys->len; i++) {
		const struct store_domain_key *key = keys->pdata[i];
		g_string_append_printf(lines, "%s._domainkey.%s v=DKIM1; k=%s; p=%s\n",
		    key->selector, key->domain,
		    key->algorithm == DOMAIN_KEY_RSA ? "rsa" : "ed25519", key->public);
	}
	return g_string_free(lines, FALSE);
}

void
posting_expect_signed(struct fixture *fixture, const char *message, gsize size)
{
	g_autofree char *dir = g_dir_make_tmp("posthouse-XXXXXX", NULL);
	g_autofree char *mail = g_build_filename(dir, "mail", NULL);
	g_autofree char *dns = g_build_filename(dir, "dns", NULL);
	const char *argv[] = {"/usr/bin/python3", "-c", judge, mail, dns, NULL};
	g_autofree char *got = NULL, *complaint = NULL;
	g_autofree char *keys = records(fixture);

	cr_assert(g_file_set_contents(mail, message, (gssize)size, NULL));
	cr_assert(g_file_set_contents(dns, keys, -1, NULL));
	bool ran = g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &got,
	    &complaint, NULL, NULL);
	unlink(mail);
	unlink(dns);
	rmdir(dir);
	if (!ran || strcmp(got, "missing\n") == 0)
		cr_skip_test("python3-dkim is not installed");
	cr_expect_str_eq(got, "[True, True]\n", "%s%s", got, complaint);
}
