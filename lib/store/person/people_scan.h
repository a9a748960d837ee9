/* SPDX-License-Identifier: MIT */
/* People in the order of their ids, some at a time, and facts about them: what segments look at.
   Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_PEOPLE_SCAN_H
#define STORE_PEOPLE_SCAN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct db_rows;

/* How much of a person is read. Each has all of those before it. */
enum store_people_scan_detail { COHORT_KEY, COHORT_PROPERTIES, COHORT_EMAIL, COHORT_FIELDS };

/* The people to look at. */
struct store_people_scan {
	struct base_id workspace;
	const struct base_id *segment; /* the members of this frozen segment; NULL: everybody */
	enum store_people_scan_detail detail;
	guint limit;	/* people at once */
	bool is_sparse; /* set by store_people_scan_read: others' people stand among these */
};

/* A person as rules see it. Texts are borrowed from the rows. */
struct store_people_scan_person {
	struct base_id id;
	const char *address;
	bool is_subscribed;
	bool has_agreed;	/* has given reason to be mailed by broadcasts to segments */
	const char *properties; /* NULL before COHORT_PROPERTIES */
	const char *email;	/* NULL before COHORT_EMAIL */
	/* NULL and 0 before COHORT_FIELDS: */
	const char *first_name, *last_name, *language, *time_zone;
	gint64 created; /* epoch ms */
};

/* Reads the people whose ids follow after, and goes through them. The caller frees the rows. */
struct db_rows *store_people_scan_read(
    struct db *db, struct store_people_scan *cohort, const struct base_id *after, GError **error);
bool store_people_scan_next(const struct store_people_scan *cohort, struct db_rows *rows,
    struct store_people_scan_person *person_r);

/* Goes back by so many people: *place becomes an id with count of them between it and the place, or
   zero where there are no more than these. */
bool store_people_scan_back(struct db *db, const struct store_people_scan *cohort,
    struct base_id *place, guint count, GError **error);

/* Facts that hold for a person or not. */
enum store_people_scan_fact_kind {
	FACT_MEMBER,	   /* of the audience, whatever the state */
	FACT_SUBSCRIBED,   /* there */
	FACT_UNSUBSCRIBED, /* there, and not pending */
	FACT_PENDING,	   /* there */
	FACT_CHOSEN,	   /* has chosen the topic */
	FACT_LEFT,	   /* has left the topic */
	FACT_SENT,	   /* has got a mailing */
	FACT_OPENED,
	FACT_CLICKED,
	FACT_BOUNCED,
	FACT_EVENT,	     /* has had the event */
	FACT_BROADCAST_SENT, /* has got the broadcast; these have the order of FACT_SENT */
	FACT_BROADCAST_OPENED,
	FACT_BROADCAST_CLICKED,
	FACT_BROADCAST_BOUNCED,
	FACT_COUNT
};
struct store_people_scan_fact {
	enum store_people_scan_fact_kind kind;
	struct base_id target; /* the audience, topic or broadcast */
	const char *event;     /* its name */
	gint64 since;	       /* of mailings and events: not before, epoch ms; 0: whenever */
	guint at_least;	       /* of events: so often, 1 or more */
};

#define STORE_PEOPLE_SCAN_FACTS 100 /* at most in one call */

/* The people of a workspace with ids after one and up to another. */
struct store_people_scan_range {
	const struct base_id *workspace, *after, *last;
};

/* Finds those for whom each fact holds, in one round trip: rows_r[i] has their ids, in order, for
   store_people_scan_next_id. The caller frees them, by db_rows_free_all. */
bool store_people_scan_facts(struct db *db, const struct store_people_scan_range *range,
    const struct store_people_scan_fact *facts, guint count, struct db_rows **rows_r,
    GError **error);
bool store_people_scan_next_id(struct db_rows *rows, struct base_id *id_r);

/* Reads the addresses behind after, at most limit, for which a fact before FACT_EVENT holds, in
   order, whether they are people's or not. The only column is the address. The caller frees the
   rows. */
struct db_rows *store_people_scan_holders(struct db *db, const struct base_id *workspace,
    const struct store_people_scan_fact *fact, const char *after, guint limit, GError **error);

/* The things that facts are about. */
enum store_people_scan_target { COHORT_AUDIENCE, COHORT_TOPIC, COHORT_BROADCAST };

/* Such a thing, and whether it is there. */
struct store_people_scan_thing {
	struct base_id id;
	enum store_people_scan_target kind;
	bool found;
	gint64 detail; /* of a topic, whether people have to choose it; of a broadcast, when it
			  started, epoch ms, 0 for not yet */
};

/* Sets found and detail. */
bool store_people_scan_find(struct db *db, const struct base_id *workspace,
    struct store_people_scan_thing *thing, GError **error);

/* The addresses that no broadcast reaches, since they are suppressed or have snoozed. */
struct store_people_scan_barred {
	GHashTable *addresses; /* a set of char * */
	GHashTable *hashes;    /* of erased people, a set of GBytes */
	gint64 first_erased;   /* when the first of those was put on the list, epoch ms */
	GStringChunk *texts;
};
struct store_people_scan_barred *store_people_scan_barred_read(
    struct db *db, const struct base_id *workspace, GError **error);
/* Those of erased people alone. */
struct store_people_scan_barred *store_people_scan_erased_read(
    struct db *db, const struct base_id *workspace, GError **error);
void store_people_scan_barred_free(struct store_people_scan_barred *barred);
DEFINE_AUTO(store_people_scan_barred, store_people_scan_barred_free)

#endif
