/* SPDX-License-Identifier: MIT */
/* A thread that reads the people of a scan on a connection of its own, a few groups ahead: so the
   database reads some while the caller asks for the facts about others, and tests them. */
#ifndef SEGMENT_READER_H
#define SEGMENT_READER_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct db;
struct segment_crowd;
struct segment_group;
struct segment_reader;

/* Begins to read the roll, and then the people, so many together. NULL: there is no second
   connection or no thread; the caller then reads by itself. db lends its settings, and counts the
   rows of the reader; the thread does not touch it. The pointers of crowd, and db, outlive the
   reader. */
struct segment_reader *segment_reader_start(
    const struct segment_crowd *crowd, guint together, struct db *db);

/* Waits for the next people, who stay until the next call; there has to be no other call behind a
   group without more, or an error. NULL: an error of the thread, as of segment_group_read. */
struct segment_group *segment_reader_next(struct segment_reader *reader, GError **error);

/* Ends the thread, wherever it is: it finishes the query that runs, and at most the roll. */
void segment_reader_stop(struct segment_reader *reader);
DEFINE_AUTO(segment_reader, segment_reader_stop)

#endif
