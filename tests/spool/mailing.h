/* SPDX-License-Identifier: MIT */
/* Makes people and broadcasts to them, and tells what became of these. */
#ifndef TESTS_SPOOL_MAILING_H
#define TESTS_SPOOL_MAILING_H

#include "base/id.h"
#include "broadcast/draft.h"
#include "broadcast/schedule.h"
#include "broadcast/state.h"
#include "tests/spool/depot.h"

/* Two audiences that a test may make. */
#define AUDIENCE_A "00000000-0000-7000-8000-00000000000a"
#define AUDIENCE_B "00000000-0000-7000-8000-00000000000b"

#define WORKSPACE "(SELECT id FROM workspace LIMIT 1)"
#define SENT "SELECT COUNT(*) FROM event WHERE status = 1"

/* Errors of these functions end the test. */

void mailing_sql(struct depot *depot, const char *format, ...) G_GNUC_PRINTF(2, 3);
gint64 mailing_number(struct depot *depot, const char *sql);

void mailing_audience(struct depot *depot, const char *id);

/* Makes people with these numbers, each subscribed in the audience, NULL: in none. Number 7 is
   F7 Last <U7@example.net>, and its property city is C7. */
void mailing_people(struct depot *depot, const char *audience, guint from, guint to);

/* Sends a broadcast to audiences (ids in quotes, by commas) with more members, each with a comma in
   front. */
struct base_id mailing_send(struct depot *depot, const char *audiences, const char *more);
struct base_id mailing_send_at(struct depot *depot, const char *audiences, const char *more,
    const struct broadcast_time *time);

/* Makes a segment of one rule. */
struct base_id mailing_segment(struct depot *depot, const char *rule);

/* The broadcast's status and counts, as text. The caller frees it. */
char *mailing_state(struct depot *depot, const struct base_id *id);
void mailing_expect(struct depot *depot, const struct base_id *id, const char *want);

/* The number of mails at the relay whose content has this text. */
guint mailing_count(struct depot *depot, const char *text);

#endif
