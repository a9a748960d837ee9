/* SPDX-License-Identifier: MIT */
/* The requests that steps of workflows make. A step stores its request; the thread of webhooks
   takes a lease of the row for each attempt, and stores the answer, which makes the execution due
   again. Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_AUTOMATION_STEP_REQUEST_H
#define STORE_AUTOMATION_STEP_REQUEST_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct db;

/* A request. Texts are borrowed where it is stored. */
struct store_step_request {
	struct base_id execution_id, workspace_id;
	guint sequence; /* of the step */
	char *host;	/* fetch_post_host */
	char *method, *url;
	char *headers; /* JSON, as schema/0391-step-request.sql has it */
	char *body;    /* NULL: none */
	guint timeout; /* seconds */
	guint most;    /* attempts that may be made */
	guint attempts;
	gint64 token; /* of the last lease; 0: none yet */
	gint64 due;   /* epoch ms */
};

void store_step_request_free(struct store_step_request *request);
DEFINE_AUTO(store_step_request, store_step_request_free)

/* Inside a transaction: stores a request that is due. Deferred (db_defer). */
bool store_step_request_insert(
    struct db *db, const struct store_step_request *request, GError **error);

/* How the request of a step stands. */
struct store_step_answer {
	bool is_asked;	  /* there is a request */
	bool is_answered; /* there is an answer, in the members below */
	guint status;	  /* 0: no answer came */
	char *body;	  /* JSON; NULL: none */
	char *error;	  /* NULL: it has succeeded */
	gint64 time;	  /* epoch ms */
};

void store_step_answer_clear(struct store_step_answer *answer);

/* Reads how the request of this step stands. The caller clears *answer_r. */
bool store_step_request_answer(struct db *db, const struct base_id *execution, guint sequence,
    struct store_step_answer *answer_r, GError **error);

/* Inside a transaction: removes the request of an execution. Deferred (db_defer). */
bool store_step_request_remove(struct db *db, const struct base_id *execution, GError **error);

/* The hosts with requests that are due at now, the longest due first, at most limit, as an array of
   char *. The caller owns it. */
GPtrArray *store_step_request_hosts(struct db *db, gint64 now, guint limit, GError **error);

/* The requests of a host that are due at now, the longest due first, at most limit, as an array of
   struct store_step_request. The caller owns it. */
GPtrArray *store_step_request_due(
    struct db *db, const char *host, gint64 now, guint limit, GError **error);

/* The right to make one attempt. */
struct store_step_lease {
	const char *owner; /* the journal of the process */
	gint64 token;	   /* new for each one */
	gint64 until;	   /* epoch ms */
};

/* Takes a lease of a request as it was read, and counts the attempt. *taken_r is false when another
   process has it, or when the execution does not run any more; the row is then removed. */
bool store_step_request_take(struct db *db, const struct store_step_request *request,
    const struct store_step_lease *lease, bool *taken_r, GError **error);

/* Gives back a lease whose attempt was not made, which does not count then. */
bool store_step_request_give_back(
    struct db *db, const struct base_id *execution, gint64 token, gint64 now, GError **error);

/* Makes the requests due whose attempts were under way in a process that has ended. */
bool store_step_request_release(struct db *db, const char *owner, gint64 now, GError **error);

/* The result of an attempt. */
struct store_step_outcome {
	const struct base_id *execution;
	gint64 token;
	gint64 again; /* epoch ms: it is to be made again then; 0: it is answered */
	guint attempts;
	guint status;
	const char *body;  /* JSON; NULL: none */
	const char *error; /* NULL: it has succeeded */
	gint64 time;	   /* epoch ms */
};

/* Stores it, and makes the execution due if the request is answered, in one statement. *stored_r
   is false, with nothing changed, when the lease is another's or the execution does not run. */
bool store_step_request_end(
    struct db *db, const struct store_step_outcome *outcome, bool *stored_r, GError **error);

#endif
