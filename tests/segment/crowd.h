/* SPDX-License-Identifier: MIT */
/* A workspace with people, audiences and topics, written by SQL. */
#ifndef TESTS_SEGMENT_CROWD_H
#define TESTS_SEGMENT_CROWD_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "tests/support/db.h"
#include "tests/support/house.h"

#define CROWD_NOW G_GINT64_CONSTANT(1800000000000)
#define CROWD_DAY (24 * 60 * 60 * G_GINT64_CONSTANT(1000))

struct crowd {
	struct test_house *house;
	struct service *service;
	struct db *db;				      /* of service */
	struct base_id audiences[3], opt_in, opt_out; /* the last two are topics */
	struct base_id broadcasts[2]; /* started crowd_started[i] days before CROWD_NOW */
};

/* Opens an installation whose clock stands at CROWD_NOW. The caller closes it. */
struct crowd *crowd_open(void);
void crowd_close(struct crowd *crowd);
DEFINE_AUTO(crowd, crowd_close)

/* Makes a person NAME@example.org with these properties (JSON with ' for "). */
struct base_id crowd_person(struct crowd *crowd, const char *name, const char *properties);

/* Fills the workspace with people, at most 100,000, of whom every 1000th is "rare". */
void crowd_fill(struct crowd *crowd, guint count);

/* Puts a person into an audience. */
enum crowd_state { CROWD_SUBSCRIBED, CROWD_UNSUBSCRIBED, CROWD_PENDING };
void crowd_join(
    struct crowd *crowd, const char *name, const struct base_id *audience, enum crowd_state state);

/* Stores a person's choice of a topic. */
void crowd_choose(
    struct crowd *crowd, const char *name, const struct base_id *topic, bool is_chosen);

/* Stores an event of a person, or what mailings did last: an hour less than so many days before
   CROWD_NOW; 0: never. */
void crowd_event(
    struct crowd *crowd, const struct base_id *person, const char *name, guint days_ago);
void crowd_activity(struct crowd *crowd, const char *name, const guint days_ago[4]);

/* Stores what a broadcast did to a person on such days: what was sent, opened, clicked and bounced.
   Things before the broadcast started are left out. */
extern const guint crowd_started[2]; /* days */
void crowd_receive(
    struct crowd *crowd, const struct base_id *person, guint broadcast, const guint days_ago[4]);

/* Puts a person on the suppression list. scope: see enum store_suppression_scope. */
void crowd_suppress(struct crowd *crowd, const char *name, int scope);

/* The text with ' turned into ". The caller owns it. */
char *crowd_json(const char *text);

/* Expects a call to succeed; error is its error. */
#define MUST(call)                                                                                 \
	do {                                                                                       \
		g_autoptr(GError) error = NULL;                                                    \
		cr_assert(call, "%s: %s", #call, error ? error->message : "failed");               \
	} while (0)

#endif
