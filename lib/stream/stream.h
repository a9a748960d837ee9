/* SPDX-License-Identifier: MIT */
/* Streams of a workspace's mail: the rules of what is given of one, and their JSON. Errors that a
   function does not name are those of the store. */
#ifndef STREAM_H
#define STREAM_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "json/view.h"
#include "store/outbox/stream.h"

struct db;

/* The members of a stream (struct store_stream_row): name, paused, per_hour, reason, changed,
   waiting. */
extern const struct json_view stream_view;

/* Changes the stream of a name (store_stream_change), and reads it. An empty reason is none. No
   change at all leaves it as it is. NOT_FOUND "Stream not found". The caller frees it. */
struct store_stream_row *stream_change(struct db *db, const struct base_id *workspace,
    const char *name, const struct store_stream_change *change, GError **error);

#endif
