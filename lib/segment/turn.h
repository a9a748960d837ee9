/* SPDX-License-Identifier: MIT */
/* Counts of people by rules, which can be much work: a workspace has one at a time, for a while. */
#ifndef SEGMENT_TURN_H
#define SEGMENT_TURN_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct base_id;
struct service;

struct segment_turn;

/* Takes the workspace's turn, which all processes of a host share: a lock on one byte of a file in
   the spool directory, so that a process that dies leaves none. Waits for another one
   ([limits] count_wait_ms). If the directory cannot be written, nobody waits. TEMPORARY when
   another one takes longer. The caller ends the turn. */
struct segment_turn *segment_turn_take(
    struct service *service, const struct base_id *workspace, GError **error);
void segment_turn_end(struct segment_turn *turn);
DEFINE_AUTO(segment_turn, segment_turn_end)

/* When work that begins now, without a turn, would have to be done. */
gint64 segment_turn_time(const struct service *service);

/* When the work of this turn has to be done ([limits] count_ms): a time of base_clock_boot_ns. */
gint64 segment_turn_deadline(const struct segment_turn *turn);

#endif
