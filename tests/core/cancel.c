/* SPDX-License-Identifier: MIT */
#include "core/cancel.h"

#include <criterion/criterion.h>

#include "base/clock.h"
#include "base/error.h"
#include "core/draft.h"
#include "core/submit.h"
#include "tests/core/posting.h"
#include "tests/support/db.h"

static struct base_id
schedule(struct world *world, gint64 at)
{
	struct core_submission submission = world_submission();
	g_autoptr(GError) error = NULL;
	struct core_submit_answer answer;

	submission.scheduled_at = at;
	AUTO(core_draft)
	draft = core_draft_new(world->core, &world->key.workspace_id, &submission, &error);
	cr_assert(draft && core_submit(world->core, draft, NULL, NULL, &answer, &error), "%s",
	    error ? error->message : "");
	g_free(answer.text);
	return draft->email->id;
}

static void
expect(
    struct world *world, const char *name, const struct base_id *email, const char *want, int code)
{
	g_autoptr(GError) error = NULL;

	core_cancel(world->core, &world->key.workspace_id, email, &error);
	const char *got = error ? error->message : "";
	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
	cr_expect_eq(error ? error->code : -1, code, "%s: got %d", name, error ? error->code : -1);
}

Test(cancel, takes_back_what_is_scheduled_and_has_not_left)
{
	static const struct smtp_script script = {.rules = {REPLY(".", 0, "451 later")}};
	AUTO(world) world = world_open(&script, NULL);
	gint64 later = base_clock_now() + 60000;
	struct base_id id = schedule(world, later), claimed = schedule(world, later),
		       tried = schedule(world, base_clock_now() + 1000),
		       now = posting_submit(world, "a@x.org"), unknown = base_id_new();

	expect(world, "scheduled", &id, "", -1);
	AUTO(store_email) email = world_email(world, &id);
	cr_expect(email->cancelled >= email->created);
	expect(world, "twice", &id, "Email is cancelled already", PH_ERROR_CONFLICT);
	cr_assert(db_run(world->db, "UPDATE outbox SET owner = 'me', token = 1 WHERE email_id = ?",
	    DB_VALUES(db_id(&claimed)), NULL, NULL));
	expect(world, "claimed", &claimed, "Email has left already", PH_ERROR_CONFLICT);
	expect(world, "not scheduled", &now, "Email is not scheduled", PH_ERROR_CONFLICT);
	expect(world, "unknown", &unknown, "Email not found", PH_ERROR_NOT_FOUND);
	base_clock_set(base_clock_now() + 2000);
	posting_deliver(world);
	expect(world, "tried already", &tried, "Email has left already", PH_ERROR_CONFLICT);
	g_autofree char *outbox = world_outbox(world);
	cr_expect_str_eq(outbox, "0: 0 attempts, claimed\n0: 1 attempts, in 1 min\n"
				 "0: 1 attempts, in 1 min\n");
}

Test(cancel, knows_no_email_of_another_workspace)
{
	AUTO(world) world = world_open(NULL, NULL);
	struct base_id id = schedule(world, base_clock_now() + 60000);

	world->key.workspace_id = base_id_new();
	expect(world, "another workspace", &id, "Email not found", PH_ERROR_NOT_FOUND);
	g_autofree char *outbox = world_outbox(world);
	cr_expect_str_eq(outbox, "0: 0 attempts, in 1 min\n");
}
