/* SPDX-License-Identifier: MIT */
/* People that are looked at together, and the facts about them. */
#ifndef SEGMENT_GROUP_H
#define SEGMENT_GROUP_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/person/people_scan.h"

struct db;
struct json;
struct segment_rules;

/* Whom a scan looks at, as in struct segment_scan. */
struct segment_crowd {
	struct base_id workspace;
	const struct segment_rules *rules;    /* NULL: nothing is asked about the people */
	const struct base_id *members;	      /* of this frozen segment alone; NULL: everybody */
	struct base_id after;		      /* those behind this one */
	guint roll;			      /* addresses in a roll at most; 0: no roll */
	enum store_people_scan_detail detail; /* read so much of each at least */
	gint64 deadline; /* no roll is read behind it, as in struct segment_scan */
};

/* Reads the people, group after group, on one connection. */
struct segment_source;

/* A source of the people of crowd. db and the pointers of crowd outlive it. The caller frees it. */
struct segment_source *segment_source_new(const struct segment_crowd *crowd, struct db *db);
void segment_source_free(struct segment_source *source);
DEFINE_AUTO(segment_source, segment_source_free)

/* Reads from end to end who holds the facts that are kept by address, unless they are too many. The
   groups of the source, also those that are read already, then know them from there. */
bool segment_source_roll(struct segment_source *source, GError **error);

struct segment_group {
	GArray *people; /* of struct store_people_scan_person; their texts live until the next
			   reading */
	bool more;	/* there may be people behind these */

	/* For group.c alone: */
	const struct segment_source *source; /* whose people these are */
	struct base_id after;		     /* they stand behind this one */
	struct db_rows *rows;
	bool *facts;  /* for each leaf: whether the fact holds, for each person */
	guint32 held; /* what the roll has for the person before the place found */
	guint found;  /* 0: for nobody yet */
};

/* A group without people. The caller frees it. */
struct segment_group *segment_group_new(void);
void segment_group_free(struct segment_group *group);
DEFINE_AUTO(segment_group, segment_group_free)

/* Replaces the people of the group by the next ones of a source, limit at most. */
bool segment_group_read(
    struct segment_group *group, struct segment_source *source, guint limit, GError **error);

/* Finds the facts about the people that the source's roll does not have; db may be another
   connection than that of the source. */
bool segment_group_find_facts(struct segment_group *group, struct db *db, GError **error);

/* The person at a place, 0 to people->len - 1. The group owns it until the next reading. */
const struct store_people_scan_person *segment_group_person(
    const struct segment_group *group, guint place);

/* Whether a leaf, whose facts were found, holds for the person at this place, in rules of its
   source. *properties: those of the person, read on first use; the caller frees them. */
bool segment_group_test(
    struct segment_group *group, guint place, guint leaf, struct json **properties);

#endif
