/* SPDX-License-Identifier: MIT */
/* The rules by which mailings leave, of workspaces and of topics (sending/rules.h reads the texts).
   Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_OUTBOX_SENDING_H
#define STORE_OUTBOX_SENDING_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* The rules of a workspace or, with has_topic, of a topic. */
struct store_sending {
	bool has_topic;
	struct base_id topic_id;
	char *hours, *cap;   /* JSON; NULL: there are none */
	gint64 capped_since; /* when the cap was set on, epoch ms */
};

void store_sending_free(struct store_sending *sending);
DEFINE_AUTO(store_sending, store_sending_free)

/* The kinds of rules that a workspace has: bits of workspace.sending. */
#define STORE_SENDING_HOURS 1
#define STORE_SENDING_CAPS 2

/* Reads the rules of a workspace, or of a topic of it (NULL: none); without texts where nobody set
   any. NOT_FOUND "Topic not found". The caller frees it. */
struct store_sending *store_sending_get(
    struct db *db, const struct base_id *workspace, const struct base_id *topic, GError **error);

/* Sets them. A cap that stays set keeps capped_since. NOT_FOUND as above. */
bool store_sending_put(struct db *db, const struct base_id *workspace,
    const struct store_sending *sending, gint64 now, GError **error);

/* The time zones of the people who have one: address → zone. The caller frees it. */
GHashTable *store_sending_zones(struct db *db, const struct base_id *workspace,
    const char *const *addresses, guint count, GError **error);

/* All rules of a workspace, as an array of struct store_sending. The caller owns it. */
GPtrArray *store_sending_list(struct db *db, const struct base_id *workspace, GError **error);

#endif
