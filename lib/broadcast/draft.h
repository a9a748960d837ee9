/* SPDX-License-Identifier: MIT */
/* Drafts of broadcasts, as requests give them. */
#ifndef BROADCAST_DRAFT_H
#define BROADCAST_DRAFT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "broadcast/content.h"
#include "store/broadcast/broadcast.h"

struct service;
struct store_edit;

/* The maker of a broadcast. */
struct broadcast_origin {
	bool compat_tests; /* as of store_broadcast */
	const struct store_edit *edit;
};

/* Stores a draft of what the object gives. origin NULL: made in /v1, by nobody known. INVALID,
   naming the field. */
bool broadcast_create(struct service *service, const struct base_id *workspace,
    const struct json *given, const struct broadcast_origin *origin, struct base_id *id_r,
    GError **error);

/* Gives a draft other members; null takes one away. The tags of the edit are those of
   store_edit_tag(updated). INVALID; NOT_FOUND; CONFLICT "Broadcast is STATUS" when it is no draft;
   CHANGED. */
bool broadcast_change(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct json *given, const struct store_edit *edit,
    GError **error);

/* Gives a draft the content of an old version, but for attachments, which stay. Lists and templates
   that the version names may be gone. NOT_FOUND "Version not found"; else as broadcast_change. */
bool broadcast_restore(struct service *service, const struct base_id *workspace,
    const struct base_id *id, guint version, const struct store_edit *edit, GError **error);

/* Stores a draft that is a copy, without its times. */
bool broadcast_duplicate(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct store_edit *edit, struct base_id *copy_r,
    GError **error);

#endif
