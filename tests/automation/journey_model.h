/* SPDX-License-Identifier: MIT */
/* The lists of the model of the engine (tests/automation/journey.h), for the files that it is made
   of. It looks through them from the beginning for each question. */
#ifndef TESTS_AUTOMATION_JOURNEY_MODEL_H
#define TESTS_AUTOMATION_JOURNEY_MODEL_H

#include "tests/automation/journey.h"

#define MINUTE G_GINT64_CONSTANT(60000)
#define DAY_MS (24 * JOURNEY_HOUR)
#define AT_ONCE 50
#define CHAIN 5

struct model_person {
	bool is_there, is_subscribed, is_member;
	bool is_new; /* it has just been made, of which person.updated does not tell */
	int n, plan, day;
	struct base_id id;
	guint born; /* how many people there were before with this address */
};

struct model_event {
	enum journey_event event;
	guint person;
	int n;
	gint64 time;
	int cause; /* the flow whose step it comes of */
	guint depth;
	int target; /* the flow to which alone it is told */
};

struct model_execution {
	guint flow, version, person, born, number;
	gint64 created, started; /* the latter: the time of its event */
	enum journey_event event;
	int n, key;
	enum journey_status status;
	guint node, count, depth;
	gint64 step_time, ready_at, wait_until, released, goal_at;
	bool is_asked, is_answered;
	gint64 ask_at, answered_at;
	guint answer;
	char *failure;	/* of the request, or of the execution */
	int released_n; /* of the event that has released it; its result when it is left */
	int results[JOURNEY_NODES];
	bool opens; /* a digest */
	int digest_key;
	guint digest_count;
	const char *how;
	GString *steps;
};

struct model_entry {
	guint flow, person, born;
	int key;
	enum journey_event event;
	gint64 time;
};

struct model_date {
	guint flow, person, born;
	int day;
};

struct model_start {
	guint flow, person;
	bool is_single, is_tick;
	gint64 scheduled;
	const char *status;
	guint people, started, filter, reentry;
};

struct model_flow {
	GArray *versions; /* of struct journey */
	bool is_paused;
	gint64 since; /* its trigger hears */
	gint64 tick;  /* the next one */
};

struct journey_model {
	gint64 begin, looked, last; /* the latter: the last time that model_time has given */
	struct model_person people[JOURNEY_PEOPLE];
	struct model_flow flows[JOURNEY_FLOWS];
	GArray *events;	       /* of struct model_event, recorded */
	GQueue queue;	       /* of struct model_event, not yet recorded */
	GPtrArray *executions; /* of struct model_execution */
	GArray *entries, *dates, *starts;
	guint mails;
};

struct model_scope {
	const struct model_person *person;
	int event, started; /* n of the events */
	const int *results; /* NULL: none */
};

/* journey_model.c: a time in the minute that begins at now, after all others; the version that is
   active, NULL: none; whether an execution is not finished; and so on. */
gint64 journey_time(struct journey_model *model, gint64 now);
const struct journey *journey_active(const struct journey_model *model, guint flow);
const struct journey *journey_version(
    const struct journey_model *model, const struct model_execution *e);
bool journey_runs(const struct model_execution *e);
void journey_finish(struct model_execution *e, enum journey_status status, const char *how);
void journey_leave(struct model_execution *e, gint64 time, const char *handle, bool is_skipped);
void journey_end(struct model_execution *e, bool is_goal, gint64 time);
void journey_tell(struct journey_model *model, const struct model_event *event);
void journey_tell_change(
    struct journey_model *model, guint person, gint64 now, const struct model_execution *by);
bool journey_set(int *place, int value);
void journey_change_person(struct journey_model *model, guint person, const int values[3],
    gint64 now, const struct model_execution *by);
void journey_make(struct journey_model *model, guint person);
bool journey_is_same(const struct journey_model *model, guint person, guint born);
void journey_forget(struct journey_model *model, guint person);

/* journey_event.c: rules hold, for a person and the events; journey_enter starts the flow, and
   gives NULL, or what holds it back; journey_take_queue, whether there was anything. */
bool journey_hold(const struct journey_rules *rules, const struct model_scope *scope);
bool journey_rules_bar(
    const struct journey_condition *conditions, guint count, const struct model_scope *scope);
struct model_scope journey_scope_of(
    const struct journey_model *model, const struct model_execution *e, int event);
bool journey_one_holds(const struct journey_condition *conditions, guint count,
    const struct model_event *event, const struct model_scope *scope);
const char *journey_enter(struct journey_model *model, guint flow, const struct model_event *event,
    bool is_client, gint64 now);
bool journey_releases(const struct journey_model *model, const struct model_execution *e,
    const struct model_event *event);
bool journey_take_queue(struct journey_model *model, gint64 now);

/* journey_step.c: takes the first steps of the execution that has just begun of that event; the
   first 09:30 that is not before time. */
void journey_begin_steps(
    struct journey_model *model, guint flow, guint person, gint64 time, gint64 now);
gint64 journey_half_past_nine(gint64 time);

#endif
