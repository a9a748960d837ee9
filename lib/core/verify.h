/* SPDX-License-Identifier: MIT */
/* Sending domains, held against DNS. */
#ifndef CORE_VERIFY_H
#define CORE_VERIFY_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct base_id;
struct store_turn;

/* Checks domains that are due, some at a time, within LIMIT_DNS_MS: looks up what they need, and
   records state of each record, status, next check (core/verdict.h), which of their keys DNS shows,
   and moves signing over to new keys where it shows those. *count_r is how many were claimed; 0
   when none is due. Any number of workers and machines may do this at once: each domain is checked
   by one. turn is the worker's place in the round of the workspaces (store/turn.h). What came of
   one domain and cannot be stored keeps none of the others back: that domain stays as it is until
   its next check, and *trouble_r (not NULL), for the log, says why, which the caller frees; else
   NULL. Errors of db/transaction.h; FAILED when nobody can be asked. Claims that are not recorded
   run out after a while. */
bool core_verify_due(
    struct core *core, struct store_turn *turn, guint *count_r, GError **trouble_r, GError **error);

/* Checks one domain now, due or not, also a trusted one, whose status stays. NOT_FOUND; errors as
   above. Where somebody else changes or checks it meanwhile, what he finds counts. */
bool core_verify_domain(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error);

#endif
