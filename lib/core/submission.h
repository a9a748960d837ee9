/* SPDX-License-Identifier: MIT */
#ifndef CORE_SUBMISSION_H
#define CORE_SUBMISSION_H

#include <glib.h>
#include <stdbool.h>

struct json;

/* A file as a request gives it: content (base64), or path (URL). */
struct core_submission_attachment {
	const char *filename, *path, *content, *content_type, *content_id;
};

/* An email as a request gives it: texts are UTF-8 without NUL, within their lengths, and NULL where
 * they were left out. All borrowed. */
struct core_submission {
	const char *from;
	const char **to, **cc, **bcc,
	    **reply_to; /* each an RFC 5322 list; NULL-terminated, or NULL */
	const char *subject, *html, *text, *template_id;
	const struct json *variables, *headers, *tags; /* objects */
	GArray *attachments; /* of struct core_submission_attachment, or NULL */
	gint64 scheduled_at; /* epoch ms, 0 = now */
	const char *(*resolve)(const char *name, void *context); /* gives variables that are in use
			    and not in variables: the value, valid until the next call, or NULL:
			    there is none; or NULL */
	void *resolve_context;
	bool automation; /* a workflow sends it: it always says how to unsubscribe, and whoever has
			    unsubscribed does not get it */
};

#endif
