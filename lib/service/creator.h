/* SPDX-License-Identifier: MIT */
/* The user who made something, as JSON. */
#ifndef SERVICE_CREATOR_H
#define SERVICE_CREATOR_H

struct config_settings;
struct json_writer;
struct store_creator;

/* Writes the members of a created_by object. The picture of a user who has none is that user's
   avatar (/avatar). */
void service_creator_write(struct json_writer *writer, const struct store_creator *creator,
    const struct config_settings *settings);

#endif
