/* SPDX-License-Identifier: MIT */
/* How the user who made something looks from outside. */
#ifndef FCGI_HANDLERS_CREATOR_VIEW_H
#define FCGI_HANDLERS_CREATOR_VIEW_H

struct store_creator;
struct json_writer;
struct base_settings;

/* The members of a created_by object, whose begin and end are the caller's. Without a picture of
   his own a user has the avatar that we serve. */
void fcgi_creator_view_write(struct json_writer *writer, const struct base_settings *settings,
    const struct store_creator *creator);

#endif
