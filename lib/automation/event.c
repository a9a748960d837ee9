/* SPDX-License-Identifier: MIT */
/* Takes in what clients say that contacts did. */
#include "automation/event.h"

#include <string.h>

#include "automation/event_name.h"
#include "automation/intake.h"
#include "automation/design_cache.h"
#include "automation/locked_contact.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/contact.h"
#include "core/core.h"
#include "core/submit.h"
#include "db/connection.h"
#include "db/transaction.h"
#include "json/value.h"
#include "json/writer.h"
#include "store/automation_contact_write.h"
#include "store/automation_event_write.h"
#include "store/idempotency.h"

#define TRIES 3

/* An event on its way in, and what has become of it. */
struct taking {
	struct core *core;
	const struct base_id *workspace;
	const struct automation_event_input *input;
	struct store_idempotency *idempotency;
	char *name, *address, *properties;
	struct automation_answer *answer;
	bool doubted; /* what answer says may have happened already */
};

static char *
answer_of(const struct automation_answer *answer)
{
	AUTO(json_writer) writer = json_writer_new();
	char id[ID_TEXT_SIZE], time[CLOCK_ISO_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "status", answer->deduplicated ? "deduplicated" : "processed");
	json_writer_string(writer, "event_id", base_id_format(&answer->event_id, id));
	json_writer_string(writer, "timestamp", base_clock_format(answer->timestamp, time));
	json_writer_end_object(writer);
	return json_writer_take(writer, NULL);
}

static bool
record(struct taking *taking, const struct store_automation_contact *contact, GError **error)
{
	const struct store_automation_event event = {
	    .id = taking->answer->event_id,
	    .workspace_id = *taking->workspace,
	    .contact_id = contact->id,
	    .name = taking->name,
	    .timestamp = taking->answer->timestamp,
	    .properties = taking->properties,
	    .created = contact->updated,
	};
	const struct store_automation_event *const events[] = {&event};

	return store_automation_event_insert(taking->core->db, events, 1, error);
}

static bool
move(struct taking *taking, const struct automation_locked_contact *person, const GArray *targets,
    GError **error)
{
	const struct automation_intake intake = {
	    .contact = person->contact,
	    .contact_properties = person->properties,
	    .event_id = &taking->answer->event_id,
	    .name = taking->name,
	    .properties = taking->input->properties,
	    .time = taking->answer->timestamp,
	    .targets = targets,
	};

	return automation_intake(taking->core, &intake, &taking->answer->deduplicated, error);
}

static bool
keep_answer(struct taking *taking, GError **error)
{
	struct store_idempotency *key = taking->idempotency;

	g_free(taking->answer->text);
	taking->answer->text = answer_of(taking->answer);
	if (!key)
		return true;
	key->status = 200;
	key->answer = taking->answer->text;
	bool taken = store_idempotency_take(taking->core->db, key, base_clock_now(), error);
	key->answer = NULL;
	return taken;
}

/* Once the contact is ours, whoever did it before us has done it or never will; but a contact that
   is not there we cannot have. */
static bool
is_there(struct taking *taking, bool *there_r, GError **error)
{
	*there_r = false;
	return !taking->doubted || store_automation_event_there(
				       taking->core->db, &taking->answer->event_id, there_r, error);
}

/* The clock is read after the lock, and a contact's times are all different: so no event is older
   than what has been decided without it. With a new contact one that may yet happen keeps its name:
   either it or this one finds the contact there, and is_there finds the event. */
static void
name_event(struct taking *taking, const struct automation_locked_contact *person, gint64 now)
{
	if (taking->doubted && person->is_new)
		return;
	taking->answer->timestamp = MAX(now, person->contact->last_seen + 1);
	taking->answer->event_id = base_id_at(taking->answer->timestamp);
}

static bool
take(struct db *db, void *context, GError **error)
{
	struct taking *taking = context;
	g_autoptr(GArray) targets = NULL;
	AUTO(automation_locked_contact)
	person = automation_locked_contact_lock_for(taking->core, taking->workspace,
	    taking->address, taking->input->email, taking->name, &targets, error);
	bool there;

	if (!person || !is_there(taking, &there, error))
		return false;
	if (there)
		return true;
	gint64 now = base_clock_now();
	name_event(taking, person, now);
	return automation_locked_contact_merge(person, taking->input->properties, error) &&
	       move(taking, person, targets, error) &&
	       automation_locked_contact_see(
		   person, taking->name, taking->answer->timestamp, now, error) &&
	       record(taking, person->contact, error) && keep_answer(taking, error);
}

/* Another request has made the contact at the same time, or otherwise what a key holds to be one
   only, or COMMIT had no answer: once more. */
static bool
take_surely(struct taking *taking, GError **error)
{
	struct core *core = taking->core;

	for (guint tries = 1;; tries++) {
		g_autoptr(GError) local = NULL;

		if (db_transact(core->db, take, taking, &local))
			return true;
		bool raced = g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT) &&
			     db_cause(core->db) == DB_CAUSE_DUPLICATE;
		bool lost = g_error_matches(local, PH_ERROR, PH_ERROR_UNCERTAIN);
		taking->doubted |= lost;
		if (tries < TRIES && (raced || (lost && core_ensure(core, NULL))))
			continue;
		if (taking->doubted && !g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT))
			local->code = PH_ERROR_UNCERTAIN;
		g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
}

static bool
replay(struct taking *taking, bool must, GError **error)
{
	struct core_submit_answer answer;

	if (!core_submit_replay(taking->core, taking->idempotency, &answer, error))
		return false;
	if (must && !answer.text) {
		g_set_error(error, PH_ERROR, PH_ERROR_CONFLICT,
		    "A request with this Idempotency-Key is still in progress");
		return false;
	}
	if (!answer.text)
		return true;
	g_free(taking->answer->text);
	*taking->answer = (struct automation_answer){.text = answer.text, .replayed = true};
	return true;
}

static bool
take_or_replay(struct taking *taking, GError **error)
{
	g_autoptr(GError) local = NULL;

	if (taking->idempotency && !replay(taking, false, error))
		return false;
	if (taking->answer->replayed || take_surely(taking, &local))
		return true;
	if (taking->idempotency && g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT))
		return replay(taking, true, error);
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

static bool
check(struct taking *taking, GError **error)
{
	const struct automation_event_input *input = taking->input;

	taking->name = automation_event_name("event_name", input->name, error);
	if (!taking->name)
		return false;
	if (automation_event_name_reserved(taking->name)) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "event_name must not begin with " EVENT_NAME_RESERVED);
		return false;
	}
	taking->address = core_contact_address(input->email, error);
	if (!taking->address)
		return false;
	taking->properties = input->properties ? json_print(input->properties) : g_strdup("{}");
	if (strlen(taking->properties) <= LIMIT_EVENT_PROPERTIES_BYTES)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "properties must be at most %d bytes",
	    LIMIT_EVENT_PROPERTIES_BYTES);
	return false;
}

bool
automation_event_take(struct core *core, const struct base_id *workspace,
    const struct automation_event_input *input, struct store_idempotency *idempotency,
    struct automation_answer *answer_r, GError **error)
{
	struct taking taking = {.core = core,
	    .workspace = workspace,
	    .input = input,
	    .idempotency = idempotency,
	    .answer = answer_r};

	*answer_r = (struct automation_answer){0};
	automation_design_cache_trim(core);
	bool done = check(&taking, error) && take_or_replay(&taking, error);
	if (!done)
		g_clear_pointer(&answer_r->text, g_free);
	g_free(taking.name);
	g_free(taking.address);
	g_free(taking.properties);
	return done;
}
