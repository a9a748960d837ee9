/* SPDX-License-Identifier: MIT */
/* The decision of each step, shared by the engine and the simulator. It uses no clock and no I/O:
   the same input always gives the same result.

   A step's time is the time at which it became due. For the first step, the trigger, it is the time
   of the event that started the execution. For a step after a wait, it is the end of the wait, or
   the time of the event that released it. For any other step, it is the time of the step before.
   automation/event.h gives the events of a contact different times, so that they have an order. */
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
struct automation_results;
struct automation_rules_scope;

/* Why a send step has sent nothing. */
#define AUTOMATION_UNSENT "the contact gets no email: it is suppressed or has unsubscribed"

enum automation_step_kind {
	STEP_MOVE,	 /* do nothing, then go to next */
	STEP_WAIT,	 /* wait for until, then call automation_step_leave */
	STEP_WAIT_EVENT, /* wait for an event, then call automation_step_leave */
	STEP_SEND,	 /* send email, then go to next */
	STEP_UPDATE,  /* merge patch into the contact's properties, change names and consent, go to
			 next */
	STEP_REQUEST, /* make the request of the node, then call automation_step with its answer */
	STEP_DELETE,  /* remove the contact; the execution is COMPLETED */
	STEP_DIGEST,  /* join the digest that is open, or open one and wait for until */
	STEP_END,     /* an exit: the execution is COMPLETED */
	STEP_FAIL,    /* the execution is FAILED for good */
};

/* The answer to a request. Borrowed. */
struct automation_step_answer {
	guint status;	   /* 0: none came */
	const char *body;  /* JSON; NULL: none */
	const char *error; /* NULL: it has succeeded */
};

/* An execution at a node. */
struct automation_step_input {
	const struct automation_design *design;
	const struct automation_design_node *node;
	const struct base_id *contact;
	const struct json *properties; /* of the contact, as they are now; NULL: none */
	const struct json *event;      /* properties of the event that started it; NULL: none */
	gint64 time;		       /* of the step, epoch ms */
	guint count;		       /* nodes visited, this one included */
	bool explain;		       /* fill in why of the result */
	const struct json *fields;     /* of the contact; NULL: none */
	GHashTable *segments;	       /* as in struct automation_rules_scope */
	const struct automation_results *results;    /* likewise */
	const struct automation_step_answer *answer; /* of the node's request; NULL: none yet */
	bool keeps_results;	     /* fill in given of the result of a wait for an event */
	const struct json *released; /* properties of the event that ended a wait; NULL: none */
	const char *digest; /* JSON, what a digest gives at its end (automation/digest.h) */
};

struct automation_step_result {
	enum automation_step_kind kind;
	const struct automation_design_node *next; /* for MOVE, SEND, UPDATE; NULL: the
					   execution is COMPLETED afterwards */
	const char *handle;			   /* of the edge to next; NULL: the only edge */
	gint64 until;		/* for WAIT, DIGEST; for WAIT_EVENT the timeout, 0 = none */
	const struct json *key; /* for DIGEST: the value by which it gathers; NULL: none */
	const char *event_name; /* for WAIT_EVENT */
	const struct automation_node_email *email; /* for SEND */
	const struct json *patch;		   /* for UPDATE, see rule_properties_merge */
	struct json *made;			   /* the patch, when the step has made it */
	struct json *names; /* for UPDATE: the names that change, each a text or null; NULL: none */
	bool subscribed_given, subscribed;     /* for UPDATE: to mailings at all */
	const struct json *topics, *audiences; /* for UPDATE, as of the node; NULL: none */
	char *given;   /* a JSON object for "step.ID." (automation/results.h); NULL: none */
	char *message; /* for FAIL: the reason */
	char *why;     /* the reason in words, at most LIMIT_WHY_LENGTH, when explain was set */
};

/* Decides the step of a node that the execution has just reached. The pointers of result_r borrow
   from the design, except message, given, why, made and names, which automation_step_clear frees.
 */
void automation_step(
    const struct automation_step_input *input, struct automation_step_result *result_r);

/* The end of a wait. */
enum automation_step_leave {
	LEAVE_TIME,    /* a wait is over */
	LEAVE_EVENT,   /* the event came */
	LEAVE_TIMEOUT, /* the event did not come before the timeout */
};

/* Decides the step at the end of a wait, after STEP_WAIT or STEP_WAIT_EVENT: always a STEP_MOVE.
   input->time is the end of the wait (until, or the event's time), and the time of the next step.
 */
void automation_step_leave(const struct automation_step_input *input,
    enum automation_step_leave leave, struct automation_step_result *result_r);

/* The reason of a step that waits at node until then (0: no end), as automation_step gives it. The
   caller owns it. */
char *automation_step_waits(const struct automation_design_node *node, gint64 until);
/* Likewise of the step that leaves the trigger. */
char *automation_step_came(const struct automation_design_node *trigger);

/* Adds to why that the person's own choice stands against a part of the step. */
void automation_step_note_refused(struct automation_step_result *result);

/* Frees message, given, why, made and names. */
void automation_step_clear(struct automation_step_result *result);

/* Returns whether an event has the name and passes the filter of a wait_for_event node. scope: the
   event and the contact, whose properties have the event's merged in. automation_step_in_time
   checks the event's time. */
bool automation_step_releases(const struct automation_design_node *node, const char *event_name,
    const struct automation_rules_scope *scope);

/* Returns whether an event came while a step waited for it: after the step's time and before the
   timeout (0 = none). This alone decides between event and timeout. */
bool automation_step_in_time(gint64 step_time, gint64 until, gint64 event_time);

/* Returns whether an event has the name and passes the filter of a trigger. Appends the reason to
   why (may be NULL). */
bool automation_step_matches(const struct automation_node_trigger *trigger, const char *event_name,
    const struct automation_rules_scope *scope, GString *why);

/* Returns the text of a value of a key: numbers as written, the hash of a long one, "" for a value
   that is none. The caller owns it. */
char *automation_step_key(const struct json *value);

/* Returns whether the trigger's dedupe window holds a start back: the last start was by an event of
   the same name, last_name (NULL: no start yet), at last_time, less than the window before the
   event or after it. Events with reserved names are never held back. */
bool automation_step_is_duplicate(const struct automation_node_trigger *trigger,
    const char *last_name, gint64 last_time, const char *event_name, gint64 event_time);

#endif
