/* SPDX-License-Identifier: MIT */
/* Reports what is wrong with a broadcast before it is sent. */
#ifndef BROADCAST_CHECK_H
#define BROADCAST_CHECK_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct broadcast_report;
struct broadcast_wish;
struct service;

/* Checks a broadcast, as it stands now, in any state. NOT_FOUND; LIMITED as of link_check;
   TEMPORARY as of segment_turn_take. The caller clears the report, also after an error. */
bool broadcast_check(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct broadcast_wish *wish, struct broadcast_report *report_r,
    GError **error);

#endif
