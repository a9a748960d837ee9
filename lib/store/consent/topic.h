/* SPDX-License-Identifier: MIT */
/* Topics, the subjects of mailings among which people choose, as stored. Errors that a function
   does not name are those of db/statement.h. */
#ifndef STORE_CONSENT_TOPIC_H
#define STORE_CONSENT_TOPIC_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;
struct store_page;
struct store_suppression_key;

/* A topic of mailings. */
struct store_topic {
	struct base_id id;
	struct base_id workspace_id;
	char *name, *description;
	bool is_public; /* people see it on their page */
	bool is_opt_in; /* nobody is in it until they choose it; else all are, until they leave */
	gint64 created, updated; /* epoch ms */
};

void store_topic_free(struct store_topic *topic);
DEFINE_AUTO(store_topic, store_topic_free)

/* Sets NOT_FOUND "Topic not found" and returns false. */
bool store_topic_missing(GError **error);

/* Stores a new topic and sets id, created and updated. CONFLICT "Limit reached: at most 100
   topics". */
bool store_topic_create(struct db *db, struct store_topic *topic, GError **error);

/* One topic. NOT_FOUND. The caller frees it. */
struct store_topic *store_topic_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Stores name, description and is_public, and sets updated. NOT_FOUND. */
bool store_topic_change(struct db *db, struct store_topic *topic, GError **error);

/* Removes a topic, and the choices of it. NOT_FOUND. */
bool store_topic_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* A page of topics, newest first, at most limit, older than before (NULL: from the newest on), as
   an array of struct store_topic. The caller owns it. */
GPtrArray *store_topic_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* The same for a page on either side of a cursor. */
GPtrArray *store_topic_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error);

/* A topic as a person has it. */
struct store_topic_choice {
	struct store_topic topic; /* without workspace, created and updated */
	bool is_chosen;		  /* the person, or an operator, chose; else the default speaks */
	bool is_subscribed;	  /* to this topic; who gets no mailings at all gets none of it */
};

/* All topics of the workspace, newest first, as one person has them: an array of struct
   store_topic_choice. key: the person (person/suppress.h). The caller owns it. */
GPtrArray *store_topic_choices(struct db *db, const struct base_id *workspace,
    const struct store_suppression_key *key, GError **error);

#endif
