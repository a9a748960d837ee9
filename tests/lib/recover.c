/* SPDX-License-Identifier: MIT */
#include "delivery/recover.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "delivery/delivery.h"
#include "service/journal.h"
#include "smtp/session.h"
#include "store/outbox/outbox.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"

static enum store_outbox_takeover
ask_nobody(const char *owner, void *context)
{
	return TAKEOVER_WAIT;
}

/* How far a process had come when it was killed. */
enum progress { CLAIMED, COMPOSING, DOT_SENT, ANSWERED };

/* Claims the only due entry, works on it up to that point, and ends. */
static void
recover_die(struct fixture *fixture, enum progress progress, enum smtp_outcome outcome)
{
	struct store_outbox_search search = {
	    .now = base_clock_now(), .limit = 1, .ask = ask_nobody};
	struct smtp_recipient recipient = {
	    "a@x.org", false, outcome, SMTP_STAGE_RCPT, outcome == SMTP_SENT ? 250 : 550, "", NULL};
	struct smtp_message message = {"", &recipient, 1, NULL, false, NULL};
	struct store_outbox_entry copy;
	guint count;

	cr_assert(service_ensure(fixture->service, NULL) &&
		  service_ensure_journal(fixture->service, NULL));
	struct store_outbox_claim claim = delivery_claim(fixture->service);
	struct service_journal *journal = fixture->service->process->journal;
	cr_assert(store_outbox_claim(fixture->service->db, &claim, &search, &copy, &count, NULL));
	cr_assert_eq(count, 1);
	cr_assert(service_journal_claim(journal, &copy.email_id, &copy.id, claim.token, NULL));
	if (progress >= COMPOSING)
		service_journal_compose(journal, &copy.id, claim.token);
	if (progress > COMPOSING)
		service_journal_idle(journal);
	if (progress >= DOT_SENT)
		cr_assert(service_journal_data(journal, &copy.id, claim.token, "two", NULL));
	if (progress == ANSWERED)
		cr_assert(service_journal_done(journal,
		    &(struct service_journal_ending){
			&copy.id, claim.token, base_clock_now(), &message, copy.recipients, "two"},
		    NULL));
	service_journal_abandon(g_steal_pointer(&fixture->service->process->journal));
}

Test(recover, records_what_was_answered_and_lets_the_rest_go_again)
{
	static const struct {
		const char *name, *settings;
		enum progress progress;
		enum smtp_outcome outcome;
		const char *want_events, *want_outbox;
	} cases[] = {
	    {"claimed", NULL, CLAIMED, SMTP_NOT_TRIED, "", "0: 0 attempts, now\n"},
	    {"composing", NULL, COMPOSING, SMTP_NOT_TRIED, "", "0: 1 attempts, now\n"},
	    {"dot sent", NULL, DOT_SENT, SMTP_NOT_TRIED,
		"0 delayed: The process that sent it was ended before the relay's reply was read\n",
		"0: 1 attempts, in 1 min\n"},
	    {"dot sent, hold", "uncertain = hold\n", DOT_SENT, SMTP_NOT_TRIED,
		"0 delayed: The process that sent it was ended before the relay's reply was read\n",
		"0: 1 attempts, held\n"},
	    {"taken", NULL, ANSWERED, SMTP_SENT, "0 sent\n", ""},
	    {"refused", NULL, ANSWERED, SMTP_PERMANENT, "0 bounced Permanent: 550\n", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(fixture) fixture = fixture_open(NULL, cases[i].settings);
		struct base_id id = posting_submit(fixture, "a@x.org");
		g_autoptr(GError) error = NULL;

		recover_die(fixture, cases[i].progress, cases[i].outcome);
		cr_assert(delivery_recover(fixture->service, NULL, &error), "%s: %s", cases[i].name,
		    error ? error->message : "");
		posting_expect(
		    fixture, cases[i].name, &id, cases[i].want_events, cases[i].want_outbox);
		cr_assert(
		    delivery_recover(fixture->service, NULL, &error), "%s again", cases[i].name);
		posting_expect(
		    fixture, cases[i].name, &id, cases[i].want_events, cases[i].want_outbox);
	}
}

/* One message of 3 was being composed: the other entries are unchanged. */
Test(recover, counts_a_death_of_the_copy_in_hand_alone)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct store_outbox_search search = {
	    .now = base_clock_now() + 1000, .limit = 3, .ask = ask_nobody};
	struct store_outbox_entry copies[3];
	guint count;

	for (guint i = 0; i < G_N_ELEMENTS(copies); i++)
		posting_submit(fixture, "a@x.org");
	for (gint64 deaths = 1; deaths <= 3; deaths++) {
		cr_assert(service_ensure_journal(fixture->service, NULL));
		struct store_outbox_claim claim = delivery_claim(fixture->service);
		cr_assert(store_outbox_claim(
		    fixture->service->db, &claim, &search, copies, &count, NULL));
		cr_assert_eq(count, 3);
		for (guint i = 0; i < count; i++)
			cr_assert(service_journal_claim(fixture->service->process->journal,
			    &copies[i].email_id, &copies[i].id, claim.token, NULL));
		guint place = 0;
		while (deaths > 1 && copies[place].deaths == 0)
			place++;
		service_journal_compose(
		    fixture->service->process->journal, &copies[place].id, claim.token);
		service_journal_abandon(g_steal_pointer(&fixture->service->process->journal));
		cr_assert(delivery_recover(fixture->service, NULL, NULL));
		g_autofree char *got = test_db_text(fixture->db,
		    "SELECT GROUP_CONCAT(deaths, '/', attempts ORDER BY deaths, id)"
		    " FROM outbox WHERE owner IS NULL");
		g_autofree char *want = g_strdup_printf(
		    "0/0,0/0,%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, deaths, deaths);
		cr_expect_str_eq(got, want, "got %s, want %s", got, want);
	}
}

/* Outcomes that were recorded before the crash, and not cut, are not recorded again. */
Test(recover, leaves_alone_what_has_gone_on_without_it)
{
	static const struct smtp_script script = {.extensions = NULL};
	AUTO(fixture) fixture = fixture_open(&script, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org");
	g_autoptr(GError) error = NULL;

	recover_die(fixture, CLAIMED, SMTP_NOT_TRIED);
	/* Another process has claimed it meanwhile. */
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = 1, owner = NULL");
	posting_deliver(fixture);
	cr_assert(
	    delivery_recover(fixture->service, NULL, &error), "%s", error ? error->message : "");
	posting_expect(fixture, "gone on", &id, "0 sent\n", "");
}

/* A recipient that was suppressed meanwhile was not among those that the message was sent to. */
Test(recover, lets_go_again_whom_no_answer_names)
{
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	struct base_id id = posting_submit(fixture, "a@x.org b@x.org");

	recover_die(fixture, ANSWERED, SMTP_SENT);
	cr_assert(delivery_recover(fixture->service, NULL, NULL));
	posting_expect(fixture, "b", &id, "0 sent\n", "1: 0 attempts, now\n");
}

Test(recover, names_the_relay_and_heeds_its_final)
{
	AUTO(fixture) fixture =
	    fixture_open(NULL, "[relay one]\nhost = 127.0.0.1\nport = 1\n"
			       "[relay two]\nhost = 127.0.0.1\nport = 1\nfinal = yes\n");
	static const struct {
		enum progress progress;
		enum smtp_outcome outcome;
		gint64 want; /* events that name the relay */
	} cases[] = {
	    {ANSWERED, SMTP_SENT, 1},
	    {ANSWERED, SMTP_PERMANENT, 1},
	    {DOT_SENT, SMTP_SENT, 1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *address = g_strdup_printf("a%zu@x.org", i);
		struct base_id id = posting_submit(fixture, address);
		g_autofree char *sql = NULL;
		char text[ID_TEXT_SIZE];

		recover_die(fixture, cases[i].progress, cases[i].outcome);
		cr_assert(delivery_recover(fixture->service, NULL, NULL));
		base_id_format(&id, text);
		sql = g_strdup_printf("SELECT COUNT(*) FROM event WHERE relay = 'two' AND email_id "
				      "= UNHEX(REPLACE('%s', "
				      "'-', ''))",
		    text);
		cr_expect_eq(test_db_number(fixture->db, sql), cases[i].want, "case %zu", i);
		test_db_plain(fixture->db, "DELETE FROM outbox");
	}
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event WHERE status = 2"), 1,
	    "delivered by the relay that is final");
}
