/* How the user who made something looks from outside. */
#ifndef FCGI_HANDLERS_CREATOR_VIEW_H
#define FCGI_HANDLERS_CREATOR_VIEW_H

struct creator;
struct json_writer;
struct settings;

/* The members of a created_by object, whose begin and end are the caller's. Without a picture of
   his own a user has the avatar that we serve. */
void creator_view_write(
    struct json_writer *writer, const struct settings *settings, const struct creator *creator);

#endif
