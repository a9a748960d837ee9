/* SPDX-License-Identifier: MIT */
/* Broadcasts as clients see them. */
#ifndef BROADCAST_VIEW_H
#define BROADCAST_VIEW_H

#include <stdbool.h>

struct broadcast_report;
struct json_writer;
struct store_broadcast;

/* Writes a broadcast as an object; brief: without html and text. A content that cannot be read is
   left out. */
void broadcast_view_write(
    struct json_writer *writer, const struct store_broadcast *broadcast, bool brief);

/* Writes the members of a version's content, without attachments, into the object that is begun. */
void broadcast_view_version(struct json_writer *writer, const char *content);

/* Writes a report of a check as an object. */
void broadcast_view_report(struct json_writer *writer, const struct broadcast_report *report);

#endif
