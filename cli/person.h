/* SPDX-License-Identifier: MIT */
/* People as commands show them. */
#ifndef CLI_PERSON_H
#define CLI_PERSON_H

#include <glib.h>
#include <stdbool.h>

struct cli_call;

/* Answers with the first count people (struct store_person) as a list; none: the sentence for an
   empty one. Errors of the database. */
bool cli_person_write_rows(
    struct cli_call *call, const GPtrArray *people, guint count, const char *none, GError **error);

#endif
