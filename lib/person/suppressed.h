/* SPDX-License-Identifier: MIT */
/* People whose address is on the suppression list, by itself or by its hash alone, as of somebody
   who was erased and came back. */
#ifndef PERSON_SUPPRESSED_H
#define PERSON_SUPPRESSED_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct service;

/* A page of them, newest first, at most limit, older than before (NULL: from the newest on), as the
   ids that store_people_of takes. A page looks at LIMIT_SEARCH_ROWS people: *has_rest_r tells that
   those older than *rest_r were not looked at. The caller owns the array, of struct base_id; NULL:
   errors of db/statement.h. */
GArray *person_suppressed_page(struct service *service, const struct base_id *workspace,
    const struct base_id *before, guint limit, struct base_id *rest_r, bool *has_rest_r,
    GError **error);

/* Takes all others out of people of a workspace, an array of struct store_person. */
bool person_suppressed_keep(
    struct service *service, const struct base_id *workspace, GPtrArray *people, GError **error);

#endif
