/* SPDX-License-Identifier: MIT */
/* What a step of an execution does: decided here for the engine and the simulator alike. No clock
   and no I/O; the same input always gives the same result.

   A step's time is when it became due: of the first, the trigger, the time of the event that
   started the execution; of one behind a wait, the wait's end, or the time of the event that
   released it; of any other that of the step before it. The times of one contact's events are all
   different, so that an event comes either before or after any other; who records events sees to
   that. */
#ifndef AUTOMATION_STEP_H
#define AUTOMATION_STEP_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct automation_design;
struct automation_design_node;
struct json;
struct automation_node_email;
struct automation_node_trigger;

enum automation_step_kind {
	STEP_MOVE,	 /* nothing to do: on to next */
	STEP_WAIT,	 /* until; then automation_step_leave */
	STEP_WAIT_EVENT, /* for an event; then automation_step_leave */
	STEP_SEND,	 /* email, then on to next */
	STEP_UPDATE,	 /* merge patch into the contact's properties, then on to next */
	STEP_END,	 /* an exit: the execution is COMPLETED */
	STEP_FAIL,	 /* for good: the execution is FAILED */
};

/* An execution at a node. */
struct automation_step_input {
	const struct automation_design *design;
	const struct automation_design_node *node;
	const struct base_id *contact;
	const struct json *properties; /* of the contact, as they are now; NULL: none */
	const struct json *event;      /* properties of the event that started it; NULL: none */
	gint64 time;		       /* the step's */
	guint count;		       /* nodes visited, this one included */
	bool explain;		       /* fill in why */
};

struct automation_step_result {
	enum automation_step_kind kind;
	const struct automation_design_node *next; /* of MOVE, SEND, UPDATE: NULL: the execution is
					   COMPLETED when that is done */
	const char *handle;			   /* of the edge to next; NULL: the only one */
	gint64 until;		/* of WAIT; of WAIT_EVENT the timeout, 0 = none */
	const char *event_name; /* of WAIT_EVENT */
	const struct automation_node_email *email; /* of SEND */
	const struct json *patch;		   /* of UPDATE: for automation_properties_merge */
	char *message;				   /* of FAIL: what was wrong */
	char *why; /* for people, where explain was set: what decided */
};

/* The step at a node that the execution has just come to. All that result_r points to belongs to
   the design, but message and why: automation_step_clear frees those. */
void automation_step(
    const struct automation_step_input *input, struct automation_step_result *result_r);

/* How a wait ended. */
enum automation_step_leave {
	LEAVE_TIME,    /* of a wait: it was over */
	LEAVE_EVENT,   /* of a wait for an event: it came */
	LEAVE_TIMEOUT, /* of a wait for an event: it did not */
};

/* The way on from a node that gave STEP_WAIT or STEP_WAIT_EVENT: a STEP_MOVE. input->time is the
   end's time (until, or the event's), which is the time of the next step. */
void automation_step_leave(const struct automation_step_input *input,
    enum automation_step_leave leave, struct automation_step_result *result_r);

void automation_step_clear(struct automation_step_result *result);

/* Whether an event of this name lets a node go that waits for one: name and filter fit. event and
   contact: properties, the contact's with the event's merged in. Its time is looked at by
   automation_step_in_time. */
bool automation_step_releases(const struct automation_design_node *node, const char *event_name,
    const struct json *event, const struct json *contact);

/* Whether an event came while a step waited for it: after the step's time and before the timeout
   (0 = none). Nothing else decides between the two. */
bool automation_step_in_time(gint64 step_time, gint64 until, gint64 event_time);

/* Whether an event fits a trigger: name and filter. why (may be NULL) is told what decided. */
bool automation_step_matches(const struct automation_node_trigger *trigger, const char *event_name,
    const struct json *event, const struct json *contact, GString *why);

/* Whether a start is held back because the last one, by an event of the name last_name (NULL: there
   was none) at last_time, is less than the trigger's window ago. Events of emails are never. */
bool automation_step_is_duplicate(const struct automation_node_trigger *trigger,
    const char *last_name, gint64 last_time, const char *event_name, gint64 event_time);

#endif
