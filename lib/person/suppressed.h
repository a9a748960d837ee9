/* SPDX-License-Identifier: MIT */
/* People whose address is on the suppression list, by itself or by its hash alone, as of somebody
   who was erased and came back. */
#ifndef PERSON_SUPPRESSED_H
#define PERSON_SUPPRESSED_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct service;
struct store_people_scan_barred;
struct store_search_list;
struct store_search_page;

/* A page of them, as the ids that store_people_of takes; the search of the list is not looked at. A
   page looks at LIMIT_SEARCH_ROWS people. The caller clears it in any case. Errors of
   db/statement.h. */
bool person_suppressed_page(struct service *service, const struct store_search_list *list,
    struct store_search_page *page_r, GError **error);

/* Takes all others out of people of a workspace, an array of struct store_person. */
bool person_suppressed_keep(
    struct service *service, const struct base_id *workspace, GPtrArray *people, GError **error);

/* Whether a person of the workspace of barred is on the list by a hash alone. address is in its
   normal form. */
bool person_suppressed_was_erased(const struct service *service,
    const struct store_people_scan_barred *barred, const struct base_id *person,
    const char *address);

#endif
