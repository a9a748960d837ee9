/* SPDX-License-Identifier: MIT */
/* Broadcasts as requests give them: drafts, the checks before they are sent, and their states. */
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

/* Checks that the audiences and segments of a content are there. INVALID, naming the first that is
   not. */
bool broadcast_check_lists(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error);

/* A time to leave, as a request gives it. */
struct broadcast_time {
	gint64 scheduled_at;		    /* epoch ms; 0: now. See broadcast_time_given */
	const char *local_time, *time_zone; /* in place of it, each on the person's own clock */
	gint64 spread;			    /* ms */
};

/* The scheduled_at of struct broadcast_time for a time that a request gives. 1970 is no "now", but
   as far past as any time that is refused. */
gint64 broadcast_time_given(gint64 time);

/* Schedules a draft. INVALID, naming the field, when it is not complete, or its time is more than 5
   minutes past; FORBIDDEN as email_draft_new; NOT_FOUND; CONFLICT. */
bool broadcast_send(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct broadcast_time *time, GError **error);

/* Stores a draft that is a copy, without its times. */
bool broadcast_duplicate(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct store_edit *edit, struct base_id *copy_r,
    GError **error);

/* The functions below give NOT_FOUND, and CONFLICT where the state does not allow them. */
bool broadcast_unschedule(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);
bool broadcast_pause(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);
bool broadcast_resume(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);
bool broadcast_cancel(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);
bool broadcast_remove(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error);

/* Also INVALID "variant must be between 0 and N". */
bool broadcast_decide(struct service *service, const struct base_id *workspace,
    const struct base_id *id, gint64 variant, GError **error);

#endif
