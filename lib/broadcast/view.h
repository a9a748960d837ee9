/* SPDX-License-Identifier: MIT */
/* Broadcasts as clients see them. */
#ifndef BROADCAST_VIEW_H
#define BROADCAST_VIEW_H

#include <stdbool.h>

#include "base/scope.h"
#include "broadcast/content.h"
#include "json/view.h"
#include "store/broadcast/broadcast.h"

struct broadcast_report;

/* A broadcast with its content, which is empty if it cannot be read. Borrows from the broadcast. */
struct broadcast_view_row {
	struct store_broadcast stored;
	struct broadcast_content content;
	struct json *document; /* from which content borrows */
};
struct broadcast_view_row *broadcast_view_row_new(const struct store_broadcast *broadcast);
void broadcast_view_row_free(struct broadcast_view_row *row);
DEFINE_AUTO(broadcast_view_row, broadcast_view_row_free)

/* The members of a broadcast (struct broadcast_view_row), as broadcast_view_write writes them. */
extern const struct json_view broadcast_view;

/* Writes a broadcast as an object; brief: without html and text. A content that cannot be read is
   left out. */
void broadcast_view_write(
    struct json_writer *writer, const struct store_broadcast *broadcast, bool brief);

/* Writes the members of a version's content, without attachments, into the object that is begun. */
void broadcast_view_version(struct json_writer *writer, const char *content);

/* Writes a report of a check as an object. */
void broadcast_view_report(struct json_writer *writer, const struct broadcast_report *report);

#endif
