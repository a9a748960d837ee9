/* SPDX-License-Identifier: MIT */
/* People as clients see them. */
#ifndef PERSON_VIEW_H
#define PERSON_VIEW_H

#include <glib.h>
#include <stdbool.h>

#include "store/person/person.h"

struct service;
struct json_writer;

/* Writes a person, as store/person/people.h reads it, with audiences and topics. Errors of the
 * database.
 */
bool person_view_write(struct service *service, const struct store_person *person,
    struct json_writer *writer, GError **error);

/* Writes the first count people into the array that the writer has begun, without audiences and
   topics. */
bool person_view_write_rows(struct service *service, const GPtrArray *people, guint count,
    struct json_writer *writer, GError **error);

#endif
