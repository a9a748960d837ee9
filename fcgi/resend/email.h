/* SPDX-License-Identifier: MIT */
/* Emails as requests under /resend give them. */
#ifndef FCGI_RESEND_EMAIL_H
#define FCGI_RESEND_EMAIL_H

#include <glib.h>
#include <stdbool.h>

#include "email/submission.h"

struct fcgi_call;
struct json;
struct json_place;
struct json_table;

/* An email that has been read, with what its submission borrows. */
struct fcgi_resend_email {
	struct email_submission submission;
	const char *scheduled_at, *topic_id;
	const struct json *template, *tags;
	GArray *files; /* the attachments as they were given */
	GPtrArray *names;
	GPtrArray *left_out;	  /* header fields, when the email has been drafted; see
				     email/submission.h. NULL: none were given */
	bool takes_reply_to;	  /* that of the header, where there is no other */
	struct json *listed_tags; /* made of tags in an object */
};

/* The fields of an email. */
extern const struct json_table fcgi_resend_email_body;

/* Reads an email. Errors of the front (fcgi/resend/error.h) that name the field. Clear it in any
   case. */
bool fcgi_resend_email_read(struct fcgi_call *call, const struct json *object,
    struct fcgi_resend_email *email, GError **error);
void fcgi_resend_email_clear(struct fcgi_resend_email *email);

/* Lists the header fields that were left out in Ignored-Members, when the email has been drafted.
   place: that of the email in the body; NULL: the body. */
void fcgi_resend_email_note(
    struct fcgi_call *call, const struct fcgi_resend_email *email, const struct json_place *place);

/* Reads a time as people write it; one in the past is kept as it is. */
bool fcgi_resend_email_time(
    const struct fcgi_call *call, const char *text, gint64 *time_r, GError **error);

/* Makes an error of the front of one of email/draft.h, submit/batch.h or email/schedule.h, which
   begins with the name of a field. Takes local. Returns false. */
bool fcgi_resend_email_fail(GError *local, GError **error);

#endif
