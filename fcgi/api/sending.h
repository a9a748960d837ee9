/* SPDX-License-Identifier: MIT */
/* Parts of the operation that sends one email, for each front: struct fcgi_storing has them. */
#ifndef FCGI_API_SENDING_H
#define FCGI_API_SENDING_H

#include <stdbool.h>

struct email_prefetch;
struct service_once;
struct submit_sending;
struct fcgi_call;

/* Begins to send the stored email, and leaves the rest of it for after the reply. */
void fcgi_sending_follow(struct fcgi_call *call, struct service_once *request);

/* The same for a stored email that is not the answer's subject: all of it after the reply. NULL:
   nothing. Takes the email. */
void fcgi_sending_later(struct fcgi_call *call, struct submit_sending *sending);

/* Whether the request waits: an email that is attempted at once waits for a relay, and an
   attachment by URL for its server. */
bool fcgi_sending_waits(const struct fcgi_call *call);

/* Adds the sender and the only recipient of the request. */
void fcgi_sending_foresee(const struct fcgi_call *call, struct email_prefetch *ahead);

#endif
