/* SPDX-License-Identifier: MIT */
/* For the files of broadcasts: a person p in a statement, with what decides whether a broadcast
   goes there. */
#ifndef STORE_BROADCAST_PEOPLE_H
#define STORE_BROADCAST_PEOPLE_H

#include "db/value.h"

struct db_rows;
struct store_broadcast;
struct store_broadcast_person;

/* The columns about a person p, in their order: id, address, time zone; whether the person wants
   mailings at all; whether the person is subscribed in an audience of the broadcast (NULL: in
   none); the widest scope of a suppression; whether the person wants the topic (NULL: no topic);
   the reason to be mailed that the person has given; until when the person has snoozed (NULL: not).
   Values: the broadcast, the topic. */
#define BROADCAST_PERSON_COLUMNS                                                                   \
	"p.id, p.address, p.time_zone, p.is_subscribed,"                                           \
	" (SELECT MAX(c.is_subscribed) FROM broadcast_audience l STRAIGHT_JOIN contact c"          \
	" ON c.audience_id = l.audience_id AND c.address = p.address WHERE l.broadcast_id = ?),"   \
	" (SELECT MIN(s.scope) FROM suppression s WHERE s.workspace_id = p.workspace_id"           \
	" AND s.address = p.address),"                                                             \
	" (SELECT COALESCE((SELECT k.is_chosen FROM choice_part k"                                 \
	" WHERE k.workspace_id = p.workspace_id AND k.person = p.address AND k.target_id = t.id)," \
	" NOT t.is_opt_in) FROM topic t WHERE t.id = ? AND t.workspace_id = p.workspace_id),"      \
	" p.agreed,"                                                                               \
	" (SELECT z.until FROM snooze z WHERE z.workspace_id = p.workspace_id"                     \
	" AND z.address = p.address)"
#define BROADCAST_PERSON_COUNT 9

/* The name of a broadcast b. */
#define BROADCAST_NAME                                                                             \
	"COALESCE(JSON_VALUE(b.brief, '$.name'), NULLIF(JSON_VALUE(b.brief, '$.subject'), ''),"    \
	" 'Broadcast')"
#define BROADCAST_PERSON_VALUES 2

/* Sets the values of the question marks in the columns above; they point into broadcast. */
void store_broadcast_person_values(
    const struct store_broadcast *broadcast, struct db_value *values_r);

/* Reads the columns, which are the first of the row. */
void store_broadcast_person_read(struct db_rows *rows, struct store_broadcast_person *person_r);

#endif
