#include "core/deliver.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/settings.h"
#include "core/slot.h"
#include "core/submit.h"
#include "store/outbox.h"
#include "tests/core/world.h"
#include "tests/support/db.h"

/* Stores an email to these addresses, separated by blanks; it is due at once. */
static struct id
submit(struct world *world, const char *addresses)
{
	struct submission submission = world_submission();
	g_auto(GStrv) to = g_strsplit(addresses, " ", -1);
	g_autoptr(GError) error = NULL;
	struct submitted submitted;

	submission.to = (const char **)to;
	cr_assert(
	    core_submit(world->core, &world->key, &submission, NULL, NULL, &submitted, &error),
	    "%s", error ? error->message : "");
	struct id id = submitted.email->id;
	core_submitted_clear(&submitted);
	return id;
}

static enum takeover
take_all(const char *owner, void *context)
{
	return TAKEOVER_CLAIM;
}

/* Claims all that is due and starts to deliver it. */
static struct delivery *
start(struct world *world)
{
	struct search search = {.now = base_clock_now(), .limit = 100, .ask = take_all};
	g_autofree struct copy *copies = g_new0(struct copy, search.limit);
	g_autoptr(GError) error = NULL;
	guint count;

	cr_assert(core_ensure_journal(world->core, &error), "%s", error ? error->message : "");
	struct claim claim = core_deliver_claim(world->core);
	cr_assert(store_outbox_claim(world->core->db, &claim, &search, copies, &count, &error),
	    "%s", error ? error->message : "");
	struct slot *slot = core_slot_take(world->settings, 0, &error);
	cr_assert(slot, "%s", error ? error->message : "no slot");
	return core_deliver_start(world->core, slot, &claim, copies, count, NULL);
}

static void
deliver(struct world *world)
{
	struct delivery *delivery = start(world);

	cr_assert(core_deliver_wait(delivery, 0));
	core_deliver_free(delivery);
}

/* What came of it: the relay's commands, then the events and the outbox. */
static void
expect(struct world *world, const char *name, const struct id *id, const char *want_events,
    const char *want_outbox)
{
	g_autofree char *events = world_events(world, id);
	g_autofree char *outbox = world_outbox(world);

	cr_expect_str_eq(
	    events, want_events, "%s: events: got\n%swant\n%s", name, events, want_events);
	cr_expect_str_eq(
	    outbox, want_outbox, "%s: outbox: got\n%swant\n%s", name, outbox, want_outbox);
}

#define UNKNOWN "550 5.1.1 no such user"
#define LATER "451 4.3.0 later"
#define LOST "The connection ended after the message was sent and before the answer."

static const struct outcome_case {
	const char *name;
	struct smtp_rule rules[3];
	const char *more; /* settings */
	const char *to;
	const char *want_events;
	const char *want_outbox;
} cases[] = {
    {"sent", {}, NULL, "a@x.org b@x.org", "0 sent\n1 sent\n", ""},
    {"sent to the final server", {}, "final = yes\n", "a@x.org", "0 sent\n0 delivered\n", ""},
    {"refused at RCPT", {REPLY("RCPT*", 0, UNKNOWN)}, NULL, "a@x.org",
	"0 bounced Permanent 5.1.1: " UNKNOWN "\n", ""},
    {"refused at RCPT without an enhanced code", {REPLY("RCPT*", 0, "550 no such user")}, NULL,
	"a@x.org", "0 bounced Permanent: 550 no such user\n", ""},
    {"refused at MAIL", {REPLY("MAIL*", 0, "550 5.7.1 not you")}, NULL, "a@x.org b@x.org",
	"0 failed 5.7.1: 550 5.7.1 not you\n1 failed 5.7.1: 550 5.7.1 not you\n", ""},
    {"refused at the dot", {REPLY(".", 0, "554 5.7.1 spam")}, NULL, "a@x.org",
	"0 failed 5.7.1: 554 5.7.1 spam\n", ""},
    {"refused at DATA", {REPLY("DATA", 0, "554 5.7.1 no data")}, NULL, "a@x.org",
	"0 failed 5.7.1: 554 5.7.1 no data\n", ""},
    {"deferred at MAIL", {REPLY("MAIL*", 0, LATER)}, NULL, "a@x.org",
	"0 delayed 4.3.0: " LATER "\n", "0: 1 attempts, in 1 min\n"},
    {"deferred at RCPT", {REPLY("RCPT*", 0, LATER)}, NULL, "a@x.org",
	"0 delayed 4.3.0: " LATER "\n", "0: 1 attempts, in 1 min\n"},
    {"deferred at the dot", {REPLY(".", 0, LATER)}, NULL, "a@x.org", "0 delayed 4.3.0: " LATER "\n",
	"0: 1 attempts, in 1 min\n"},
    {"one of each", {REPLY("RCPT*b@x*", 0, UNKNOWN), REPLY("RCPT*c@x*", 0, LATER)}, NULL,
	"a@x.org b@x.org c@x.org",
	"0 sent\n1 bounced Permanent 5.1.1: " UNKNOWN "\n2 delayed 4.3.0: " LATER "\n",
	"2: 1 attempts, in 1 min\n"},
    {"421 after the greeting", {THEN(DROP, "CONNECT", 0, "421 4.3.2 closed")}, NULL, "a@x.org",
	"0 delayed: The mail relay 127.0.0.1:PORT refused greeting: 421 4.3.2 closed\n",
	"0: 0 attempts, in 1 min\n"},
    {"answer to the dot lost", {THEN(DROP, ".", 0, NULL)}, NULL, "a@x.org b@x.org",
	"0 delayed: " LOST "\n1 delayed: " LOST "\n", "0 1: 1 attempts, in 1 min\n"},
    {"answer to the dot lost, to be held", {THEN(DROP, ".", 0, NULL)}, "uncertain = hold\n",
	"a@x.org b@x.org", "0 delayed: " LOST "\n1 delayed: " LOST "\n", "0 1: 1 attempts, held\n"},
};

Test(deliver, records_what_became_of_each_recipient)
{
	AUTO(world) world = world_open(NULL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct outcome_case *c = &cases[i];
		struct smtp_script script = {.extensions = "ENHANCEDSTATUSCODES"};

		memcpy(script.rules, c->rules, sizeof(c->rules));
		world_renew(world, &script, c->more);
		struct id id = submit(world, c->to);
		deliver(world);
		g_autofree char *port = g_strdup_printf("%u", smtp_server_port(world->relay));
		g_autoptr(GString) want = g_string_new(c->want_events);
		g_string_replace(want, "PORT", port, 0);
		expect(world, c->name, &id, want->str, c->want_outbox);
		test_db_plain(world->db, "DELETE FROM outbox");
	}
}
