/* SPDX-License-Identifier: MIT */
/* Mail of workflows that answers received mail. */
#ifndef AUTOMATION_ANSWER_H
#define AUTOMATION_ANSWER_H

#include <glib.h>
#include <stdbool.h>

struct automation_design;
struct base_id;
struct json;
struct service;

/* Whether received mail starts the workflow. */
bool automation_answer_is(const struct automation_design *design);

/* Makes the header fields of a message that a program wrote because a mail came (RFC 3834 section
   3.1.7, RFC 5322 section 3.6.4): Auto-Submitted, In-Reply-To and References, an object as of
   email/submission.h. event: the properties of email.received. *headers_r is NULL where the event
   names no mail; a mail that is gone, or without a usable Message-ID, gives Auto-Submitted alone.
   The caller frees it. Errors of db/statement.h. */
bool automation_answer_headers(struct service *service, const struct base_id *workspace,
    const struct json *event, struct json **headers_r, GError **error);

#endif
