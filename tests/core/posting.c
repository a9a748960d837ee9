/* SPDX-License-Identifier: MIT */
/* Submits and delivers emails of a world. */
#include "tests/core/posting.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "base/settings.h"
#include "core/submit.h"
#include "store/outbox.h"
#include "tests/support/db.h"

#define BATCH 100

struct base_id
posting_store(struct world *world, const struct core_submission *submission)
{
	g_autoptr(GError) error = NULL;
	struct core_sending *sending =
	    core_send_check(world->core, &world->key.workspace_id, submission, NULL, &error);
	AUTO(core_request) request = sending ? &sending->request : NULL;

	cr_assert(request && core_request_store_one(world->core, request, &error), "%s",
	    error ? error->message : "");
	return sending->id;
}

struct base_id
posting_submit(struct world *world, const char *addresses)
{
	struct core_submission submission = world_submission();
	g_auto(GStrv) to = g_strsplit(addresses, " ", -1);

	submission.to = (const char **)to;
	return posting_store(world, &submission);
}

static enum store_outbox_takeover
doubt(const char *owner, void *context)
{
	return TAKEOVER_DOUBT;
}

void
posting_lose(struct world *world)
{
	/* The mark of an owner that has been doubted once already. */
	test_db_plain(world->db, "UPDATE outbox SET owner = 'elsewhere!', token = 1");
}

struct core_delivery *
posting_start(struct world *world)
{
	struct store_outbox_search search = {.now = base_clock_now(), .limit = BATCH, .ask = doubt};
	g_autofree struct store_outbox_entry *copies = g_new0(struct store_outbox_entry, BATCH);
	g_autoptr(GError) error = NULL;
	guint count;

	cr_assert(core_ensure_journal(world->core, &error), "%s", error ? error->message : "");
	struct store_outbox_claim claim = core_deliver_claim(world->core);
	cr_assert(store_outbox_claim(world->core->db, &claim, &search, copies, &count, &error),
	    "%s", error ? error->message : "");
	return core_deliver_start(world->core, &claim, copies, count, NULL);
}

void
posting_deliver(struct world *world)
{
	struct core_delivery *delivery = posting_start(world);

	cr_assert(core_deliver_wait(delivery, 0));
	core_deliver_free(delivery);
}

void
posting_expect(struct world *world, const char *name, const struct base_id *email,
    const char *want_events, const char *want_outbox)
{
	g_autofree char *events = world_events(world, email);
	g_autofree char *outbox = world_outbox(world);

	cr_expect_str_eq(
	    events, want_events, "%s: events: got\n%swant\n%s", name, events, want_events);
	cr_expect_str_eq(
	    outbox, want_outbox, "%s: outbox: got\n%swant\n%s", name, outbox, want_outbox);
}
