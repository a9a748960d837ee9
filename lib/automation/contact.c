/* SPDX-License-Identifier: MIT */
/* Changes and removes automation contacts. */
#include "automation/contact.h"

#include "automation/locked_contact.h"
#include "base/clock.h"
#include "base/error.h"
#include "core/contact.h"
#include "core/core.h"
#include "db/transaction.h"
#include "store/automation_contact_write.h"
#include "store/automation_feedback.h"
#include "store/execution_write.h"

struct work {
	struct core *core;
	const struct base_id *workspace;
	char *address;
	const struct json *patch;
	char *merged;
};

static bool
find_address(struct work *work, const char *email, GError **error)
{
	work->address = core_contact_address(email, NULL);
	if (!work->address)
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Contact not found");
	return work->address;
}

static bool
patch(struct db *db, void *context, GError **error)
{
	struct work *work = context;
	AUTO(automation_locked_contact)
	person = automation_locked_contact_lock(work->core, work->workspace, work->address, error);

	if (!person || !automation_locked_contact_merge(person, work->patch, error))
		return false;
	person->contact->updated = base_clock_now();
	g_free(work->merged);
	work->merged = g_strdup(person->contact->properties);
	const struct store_automation_contact *const contacts[] = {person->contact};
	return store_automation_contact_properties(db, contacts, 1, error);
}

bool
automation_contact_patch(struct core *core, const struct base_id *workspace, const char *email,
    const struct json *properties, char **merged_r, GError **error)
{
	struct work work = {.core = core, .workspace = workspace, .patch = properties};
	bool done = find_address(&work, email, error) && db_transact(core->db, patch, &work, error);

	if (!done)
		g_clear_pointer(&work.merged, g_free);
	*merged_r = work.merged;
	g_free(work.address);
	return done;
}

static bool
remove_one(struct db *db, void *context, GError **error)
{
	const struct work *work = context;
	AUTO(automation_locked_contact)
	person = automation_locked_contact_lock(work->core, work->workspace, work->address, error);
	guint count;

	if (!person)
		return false;
	const struct base_id *id = &person->contact->id;
	return store_execution_cancel_contact(db, id, base_clock_now(), &count, error) &&
	       store_automation_feedback_forget(db, id, error) &&
	       store_automation_contact_remove(db, id, error);
}

bool
automation_contact_remove(
    struct core *core, const struct base_id *workspace, const char *email, GError **error)
{
	struct work work = {.core = core, .workspace = workspace};
	bool done =
	    find_address(&work, email, error) && db_transact(core->db, remove_one, &work, error);

	g_free(work.address);
	return done;
}
