/* SPDX-License-Identifier: MIT */
/* The log of requests under /resend, while [resend] logs is on. */
#ifndef FCGI_RESEND_LOGS_H
#define FCGI_RESEND_LOGS_H

#include <glib.h>

struct service;
struct fcgi_call;
struct json;

/* Keeps the body of a request, without contents and secrets, for its entry. */
void fcgi_resend_logs_keep_body(struct fcgi_call *call, const struct json *body);

/* Makes the entry of a request whose reply is complete. NULL: there is none. To be given to
   fcgi_resend_logs_store. */
void *fcgi_resend_logs_note(struct fcgi_call *call);

/* Stores an entry, after the reply was sent. Frees it. A failure is logged. */
void fcgi_resend_logs_store(struct service *service, void *entry);

/* The text of a JSON document without contents and secrets; NULL: it is larger than
   LIMIT_LOG_BODY_BYTES then. The caller owns it. */
char *fcgi_resend_logs_text(const struct json *document);

#endif
