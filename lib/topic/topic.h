/* SPDX-License-Identifier: MIT */
/* Topics of mailings: the rules of what is given of one, and their JSON. Errors that a function
   does not name are those of the store. */
#ifndef TOPIC_H
#define TOPIC_H

#include <glib.h>
#include <stdbool.h>

#include "json/view.h"
#include "store/consent/topic.h"

struct db;

/* The members of a topic (struct store_topic): id, name, description, public, opt_in, created,
   updated. */
extern const struct json_view topic_view;

enum topic_choice { TOPIC_NOT_GIVEN, TOPIC_NO, TOPIC_YES };

/* A topic as it is given. Texts that are not given are NULL. */
struct topic_input {
	const char *name, *description;
	enum topic_choice is_public, is_opt_in;
	const char *what; /* the name of the name in errors; NULL: "name" */
};

/* Reads the id of a topic. A text that is none is an unknown topic: NOT_FOUND. */
bool topic_id(const char *text, struct base_id *id_r, GError **error);

/* Stores a new topic, public and with everybody in it if not given. INVALID when the name cannot
   stand in a header field; CONFLICT of store_topic_create. The caller frees it. */
struct store_topic *topic_create(struct db *db, const struct base_id *workspace,
    const struct topic_input *input, GError **error);

/* Changes what is given. INVALID as above, and "opt_in cannot be changed"; NOT_FOUND. The caller
   frees the topic as it is now. */
struct store_topic *topic_change(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const struct topic_input *input, GError **error);

#endif
