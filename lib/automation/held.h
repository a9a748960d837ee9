/* SPDX-License-Identifier: MIT */
/* Whether a workflow keeps to one domain: a key that may only send from a domain must not make
   others send. */
#ifndef AUTOMATION_HELD_H
#define AUTOMATION_HELD_H

#include <stdbool.h>

#include <glib.h>

struct automation_design;
struct base_id;
struct service;

/* Whether all emails of a design come from this domain of the workspace, or from names below it
   that are no domains of their own. A design without emails keeps to any. One with a step that
   takes its sender from a template keeps to none, since the template may change. Errors of
   db/statement.h. */
bool automation_held(struct service *service, const struct base_id *workspace,
    const struct automation_design *design, const struct base_id *domain, bool *held_r,
    GError **error);

#endif
