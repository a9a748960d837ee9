/* SPDX-License-Identifier: MIT */
/* People as clients see them. */
#ifndef CORE_PERSON_VIEW_H
#define CORE_PERSON_VIEW_H

#include <glib.h>
#include <stdbool.h>

#include "store/person.h"

struct core;
struct json_writer;

/* Writes a person, as store/people.h reads it, with audiences and topics. Errors of the database.
 */
bool core_person_view_write(struct core *core, const struct store_person *person,
    struct json_writer *writer, GError **error);

/* Writes the first count people into the array that the writer has begun, without audiences and
   topics. */
bool core_person_view_write_rows(struct core *core, const GPtrArray *people, guint count,
    struct json_writer *writer, GError **error);

#endif
