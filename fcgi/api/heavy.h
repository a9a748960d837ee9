/* SPDX-License-Identifier: MIT */
/* Workspaces whose requests take much processor time, and the turns in which such requests are
   served.

   A ledger has the processor time that requests of each workspace have taken lately, as far as they
   took more than LIMIT_HEAVY_NS each. A workspace that has taken more than its share of a processor
   (LIMIT_HEAVY_SHARE) for a while (LIMIT_HEAVY_BURST_NS) is heavy until it has rested as long.
   Requests of heavy workspaces take turns: there are so many slots on a machine as it has
   processors but for one, of which a workspace has half at most, and one more for each workspace
   that has waited for long. Thus a processor is left for others. Counts of people have one turn of
   a workspace, whether it is heavy or not, beside those: they wait for each other. */
#ifndef FCGI_API_HEAVY_H
#define FCGI_API_HEAVY_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct base_id;
struct config_settings;

/* A ledger that this process shares with those that it forks. It lives as long as they. */
struct fcgi_heavy_ledger *fcgi_heavy_ledger_new(void);

/* Work is counted by its phase: a workspace that is heavy in one is not so in the other. */
enum fcgi_heavy_phase { HEAVY_CHECK, HEAVY_STORE, HEAVY_PHASES };

/* The turns of one process. */
struct fcgi_heavy;

/* settings and ledger must outlive it; slots: how many there are on this machine. The caller frees
   it. */
struct fcgi_heavy *fcgi_heavy_new(
    const struct config_settings *settings, struct fcgi_heavy_ledger *ledger, guint slots);
void fcgi_heavy_free(struct fcgi_heavy *heavy);
DEFINE_AUTO(fcgi_heavy, fcgi_heavy_free)

/* Notes the processor time of a request. */
void fcgi_heavy_note(struct fcgi_heavy *heavy, const struct base_id *workspace,
    enum fcgi_heavy_phase phase, gint64 ns);

/* Whether a workspace is heavy. Of one that never was, this takes no system call. */
bool fcgi_heavy_is(
    const struct fcgi_heavy *heavy, const struct base_id *workspace, enum fcgi_heavy_phase phase);

/* Takes a turn of the workspace, the one of counts if it counts people, and a slot, without
   waiting. A request that has waited for longer than LIMIT_HEAVY_SLOT_MS needs no slot, only the
   first of the turns, or the one of counts: others hold the slots for long. False when they are
   taken. If the spool directory cannot be written, it succeeds. The kernel gives both back when the
   process ends. */
bool fcgi_heavy_enter(
    struct fcgi_heavy *heavy, const struct base_id *workspace, bool counts, gint64 waited_ms);

/* Gives both back; does nothing when they were not taken. */
void fcgi_heavy_leave(struct fcgi_heavy *heavy);

#endif
