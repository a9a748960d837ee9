/* SPDX-License-Identifier: MIT */
/* Broadcasts as requests give them: drafts, the checks before they are sent, and their states. */
#ifndef BROADCAST_DRAFT_H
#define BROADCAST_DRAFT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "json/fields.h"
#include "store/broadcast.h"

struct core;

#define BROADCAST_VARIANTS 5

/* One of several contents; NULL: the broadcast's own. */
struct broadcast_variant {
	const char *subject, *html, *text, *template_id;
};

/* The content of a broadcast. Texts are NULL and lists NULL or empty where nothing is given. */
struct broadcast_content {
	const char *name, *from, *subject, *html, *text, *template_id, *topic_id, *winner_by;
	const char **reply_to, **audiences, **segments, **exclude_segments; /* NULL-terminated */
	const struct json *utm, *tags;					    /* objects */
	GArray *variants; /* of struct broadcast_variant */
	gint64 test_share, decide_after;
};

/* The fields of a request that gives such a content. */
extern const struct json_table broadcast_body;

/* Reads a stored content. content borrows from the document that it returns, and is cleared before
   that is freed. FAILED when it is damaged. */
struct json *broadcast_read(const char *text, struct broadcast_content *content_r, GError **error);
void broadcast_clear(struct broadcast_content *content);

/* The name, else the subject, else "Broadcast". */
const char *broadcast_name(const struct broadcast_content *content);

/* Stores a draft of what the object gives. INVALID, naming the field. */
bool broadcast_create(struct core *core, const struct base_id *workspace, const struct json *given,
    struct base_id *id_r, GError **error);

/* Gives a draft other members; null takes one away. INVALID; NOT_FOUND; CONFLICT "Broadcast is
   STATUS" when it is no draft. */
bool broadcast_change(struct core *core, const struct base_id *workspace, const struct base_id *id,
    const struct json *given, GError **error);

/* A time to leave, as a request gives it. */
struct broadcast_time {
	gint64 scheduled_at;		    /* epoch ms; 0: now */
	const char *local_time, *time_zone; /* in place of it, each on the person's own clock */
	gint64 spread;			    /* ms */
};

/* Schedules a draft. INVALID, naming the field, when it is not complete; FORBIDDEN as
   core_draft_new; NOT_FOUND; CONFLICT. */
bool broadcast_send(struct core *core, const struct base_id *workspace, const struct base_id *id,
    const struct broadcast_time *time, GError **error);

/* Stores a draft that is a copy, without its times. */
bool broadcast_duplicate(struct core *core, const struct base_id *workspace,
    const struct base_id *id, struct base_id *copy_r, GError **error);

/* The functions below give NOT_FOUND, and CONFLICT where the state does not allow them. */
bool broadcast_unschedule(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error);
bool broadcast_pause(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error);
bool broadcast_resume(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error);
bool broadcast_cancel(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error);
bool broadcast_remove(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Also INVALID "variant must be between 0 and N". */
bool broadcast_decide(struct core *core, const struct base_id *workspace, const struct base_id *id,
    gint64 variant, GError **error);

#endif
