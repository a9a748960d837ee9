/* SPDX-License-Identifier: MIT */
/* Checks of what the draft of a broadcast names. */
#ifndef BROADCAST_DRAFT_CHECK_H
#define BROADCAST_DRAFT_CHECK_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct broadcast_content;
struct service;

/* Checks the members of a content, and that what it names is in the workspace: audiences, segments,
   topic, templates. INVALID, naming the field; errors of db/statement.h. */
bool broadcast_check_draft(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error);

/* Checks the audiences and segments alone. INVALID, naming the first that is not there. */
bool broadcast_check_lists(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error);

/* Checks that a content names at most LIMIT_BROADCAST_LISTS audiences and segments. INVALID. */
bool broadcast_check_count(const struct broadcast_content *content, GError **error);

#endif
