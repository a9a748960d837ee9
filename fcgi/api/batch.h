/* SPDX-License-Identifier: MIT */
/* The parts of an operation that stores a batch of emails which both fronts share. */
#ifndef FCGI_API_BATCH_H
#define FCGI_API_BATCH_H

#include <glib.h>
#include <stdbool.h>

struct submit_batch;
struct service_idempotency;
struct service_once;
struct fcgi_call;
struct json;
struct json_writer;

/* A batch in the form of a front. */
struct fcgi_batch_form {
	/* Adds an email of the request, a bad one with its fault. False for errors that say nothing
	   about the email. */
	bool (*add)(struct fcgi_call *call, struct submit_batch *batch, const struct json *email,
	    GError **error);
	/* Replies to a batch that has too many bad emails. */
	void (*refuse)(struct fcgi_call *call, const struct submit_batch *batch);
};

/* Checks a batch: finds the request of an earlier call with the same key, or adds the emails of an
   array, of which at most most_bad may be bad. Frees call->json. NULL with error, or after the
   reply to a batch that is refused. The caller frees the request. */
struct service_once *fcgi_batch_check(struct fcgi_call *call, const struct service_idempotency *key,
    const struct json *emails, guint most_bad, const struct fcgi_batch_form *form, GError **error);

/* Writes the member "errors": index and message of each bad email. tell: the fault as the front
   tells it; the result is freed. */
void fcgi_batch_write_errors(struct json_writer *writer, const struct submit_batch *batch,
    GError *(*tell)(const GError *fault));

/* A batch is stored alone. */
extern const struct fcgi_gathering fcgi_batch_gathering;

#endif
