/* SPDX-License-Identifier: MIT */
/* Versions over HTTP: the ETag of an answer, and the If-Match of a change (RFC 9110 section
   13.1.1). */
#ifndef FCGI_API_EDIT_H
#define FCGI_API_EDIT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/common/edit.h"

struct fcgi_call;
struct fcgi_reply;

/* The edit that a call makes; it borrows from the call. */
struct fcgi_edit {
	struct store_edit edit;
	char key[ID_TEXT_SIZE];
	char **tags;
};
void fcgi_edit_free(struct fcgi_edit *edit);
DEFINE_AUTO(fcgi_edit, fcgi_edit_free)

/* An edit of any version. The caller frees it. */
struct fcgi_edit *fcgi_edit_new(const struct fcgi_call *call);

/* The same with the tags of If-Match. Weak tags match nothing. NULL with INVALID
   when the header is malformed. The caller frees it. */
struct fcgi_edit *fcgi_edit_read(const struct fcgi_call *call, GError **error);

/* Sets the ETag of an answer that shows the version with this tag, which is of the service's
   making. */
void fcgi_edit_tag(struct fcgi_reply *reply, const char *tag);

/* The same for a thing whose versions are told apart by the time of the last change. */
void fcgi_edit_tag_time(struct fcgi_reply *reply, gint64 updated);

#endif
