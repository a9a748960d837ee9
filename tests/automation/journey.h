/* SPDX-License-Identifier: MIT */
/* Journeys made at random, and a model of the engine: small, slow and plain. It knows designs as
   the structs below, never as JSON, and shares no code with the engine.

   People have whole numbers as properties, 0 for none: n, plan, and day, which is a date. Times are
   epoch ms. The model does each thing at the beginning of a minute, the engine some ms later, so
   times are compared as minutes. */
#ifndef TESTS_AUTOMATION_JOURNEY_H
#define TESTS_AUTOMATION_JOURNEY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

#define JOURNEY_NODES 9
#define JOURNEY_PEOPLE 2
#define JOURNEY_FLOWS 2
#define JOURNEY_RULES 2
#define JOURNEY_CONDITIONS 2
#define JOURNEY_NONE (-1)
#define JOURNEY_HOUR G_GINT64_CONSTANT(3600000)

/* The plan of those who are in the segment. */
#define JOURNEY_SEGMENT_PLAN 2

enum journey_event {
	JOURNEY_ORDER,
	JOURNEY_PAID,
	JOURNEY_OTHER,
	JOURNEY_UPDATED,
	JOURNEY_ENTERED,
	JOURNEY_LEFT,
	JOURNEY_DATE,
	JOURNEY_TICK,
	JOURNEY_STARTED,
	JOURNEY_RULE, /* of a condition: rules, no event */
};

enum journey_path { PATH_EVENT_N, PATH_N, PATH_PLAN, PATH_STEP };

enum journey_operator { IS, IS_NOT, EXISTS, IS_MISSING, IS_IN, IS_NOT_IN };

struct journey_value {
	enum journey_path path;
	guint node; /* of PATH_STEP */
};

struct journey_rule {
	enum journey_operator operator;
	struct journey_value left;
	bool is_var;
	struct journey_value var; /* is_var */
	int value;		  /* else */
};

struct journey_rules {
	bool is_any;
	guint count; /* 0: they hold */
	struct journey_rule rules[JOURNEY_RULES];
};

struct journey_condition {
	enum journey_event event;
	struct journey_rules rules;
};

enum journey_reentry { EVERY_TIME, AFTER_FINISH, ONLY_ONCE };

enum journey_type {
	TYPE_TRIGGER,
	TYPE_SEND,
	TYPE_WAIT,	/* hours */
	TYPE_WAIT_TIME, /* of day: 09:30 UTC */
	TYPE_WAIT_DAY,	/* until the property day */
	TYPE_AWAIT,
	TYPE_CONDITION,
	TYPE_UPDATE,
	TYPE_DELETE,
	TYPE_DIGEST,
	TYPE_REQUEST,
	TYPE_SPLIT,
	TYPE_EXIT,
};

struct journey_node {
	enum journey_type type;
	int next[2];		    /* JOURNEY_NONE: no edge */
	gint64 hours;		    /* of a wait, a digest, the timeout; 0: none */
	enum journey_event event;   /* that it waits for */
	struct journey_rules rules; /* of a condition or a wait for an event */
	int n, plan;		    /* an update sets them; JOURNEY_NONE: leaves them; 0: deletes */
	bool copies;		    /* an update: n becomes that of the event */
	int subscribed;		    /* an update; JOURNEY_NONE: leaves it */
	bool is_keyed;		    /* a digest: by event.n */
};

/* A version of a workflow. The first node is the trigger. */
struct journey {
	enum journey_event event;
	struct journey_rules filter;
	enum journey_reentry reentry;
	gint64 window; /* ms */
	bool is_keyed; /* by event.n */
	struct journey_condition goals[JOURNEY_CONDITIONS], exits[JOURNEY_CONDITIONS];
	guint goal_count, exit_count;
	gint64 within; /* ms; 0: none */
	bool goes_on;
	struct journey_node nodes[JOURNEY_NODES];
	guint count;
};

/* Makes a journey. before: the version before, whose trigger has the same event and key; NULL. */
void journey_invent(GRand *rand, const struct journey *before, struct journey *journey_r);

/* Returns its nodes and edges for sample_design_text. segment: the id of the segment. The caller
   owns them. */
char *journey_nodes(const struct journey *journey, const char *segment);
char *journey_edges(const struct journey *journey);

/* The way out of a node, NULL: its only one. */
const char *journey_handle(enum journey_type type, guint way);

enum journey_status {
	STATUS_GOES,
	STATUS_WAITS,
	STATUS_COMPLETED,
	STATUS_FAILED,
	STATUS_CANCELLED
};

struct journey_model;

struct journey_model *journey_model_new(gint64 begin);
void journey_model_free(struct journey_model *model);
DEFINE_AUTO(journey_model, journey_model_free)

/* Each does at now what the engine is given to do. Flows and people have numbers; the first save of
   a flow makes it. */
void journey_model_save(
    struct journey_model *model, guint flow, const struct journey *journey, gint64 now);
void journey_model_pause(struct journey_model *model, guint flow, bool is_paused, gint64 now);
void journey_model_event(struct journey_model *model, guint person, enum journey_event event, int n,
    int plan, int day, gint64 now);
void journey_model_change(
    struct journey_model *model, guint person, int n, int plan, int day, gint64 now);
void journey_model_remove(struct journey_model *model, guint person, gint64 now);
void journey_model_start(struct journey_model *model, guint flow, guint person, gint64 now);
void journey_model_start_segment(struct journey_model *model, guint flow, gint64 now);
void journey_model_look(struct journey_model *model, gint64 now);
void journey_model_starts(struct journey_model *model, gint64 now);
void journey_model_run(struct journey_model *model, gint64 now);
bool journey_model_cancel(struct journey_model *model, guint execution, gint64 now);

/* Whether the execution has a request that is due. */
bool journey_model_asks(const struct journey_model *model, guint execution, gint64 now);

/* The answer to the request of an execution. again: it is made again then; 0: it is answered. */
void journey_model_answer(struct journey_model *model, guint execution, guint status,
    const char *failure, gint64 again, gint64 now);

/* Tells the id of a person who is there now. */
bool journey_model_has(const struct journey_model *model, guint person);
void journey_model_name(struct journey_model *model, guint person, const struct base_id *id);

guint journey_model_count(const struct journey_model *model);

/* Shows all that there is, in the form of journey_play.c. The caller owns it. */
char *journey_model_show(const struct journey_model *model);

#endif
