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

/* So many are leased, or answered, at once. */
#define STORE_STEP_REQUESTS_MOST 50

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

/* Inside a transaction: removes the requests of executions. Deferred (db_defer). */
bool store_step_request_remove(
    struct db *db, const struct base_id *const *executions, guint count, GError **error);

/* The hosts with requests that are due at now, the longest due first, at most limit, as an array of
   char *. The caller owns it. */
GPtrArray *store_step_request_hosts(struct db *db, gint64 now, guint limit, GError **error);

/* The right to make one attempt of each of some requests to a host. */
struct store_step_lease {
	const char *host;
	const char *owner; /* the journal of the process */
	gint64 token;	   /* new for each lease */
	gint64 now;	   /* epoch ms: those that are due then */
	gint64 until;	   /* epoch ms: how long it lasts, but for the timeout of the request */
	guint limit;	   /* STORE_STEP_REQUESTS_MOST at most */
};

/* Takes the lease of requests that are due, the longest due first, and counts the attempts: an
   array of struct store_step_request, as they were before, but with the token of the lease. The
   caller owns it. It passes over those that another transaction has locked, and removes those whose
   execution does not run any more. NULL with errors of db/transaction.h. */
GPtrArray *store_step_request_lease(
    struct db *db, const struct store_step_lease *lease, GError **error);

/* Gives back a lease whose attempt was not made, which does not count then. */
bool store_step_request_give_back(
    struct db *db, const struct base_id *execution, gint64 token, gint64 now, GError **error);

/* Makes the requests due whose attempts were under way in a process that has ended. */
bool store_step_request_release(struct db *db, const char *owner, gint64 now, GError **error);

/* The result of an attempt. */
struct store_step_outcome {
	const struct base_id *execution;
	guint sequence; /* of the step */
	gint64 token;
	gint64 again; /* epoch ms: it is to be made again then; 0: it is answered */
	guint attempts;
	guint status;
	const char *body;  /* JSON; NULL: none */
	const char *error; /* NULL: it has succeeded */
	gint64 time;	   /* epoch ms */
};

/* Inside a transaction: locks requests, at most STORE_STEP_REQUESTS_MOST. held_r: of each whether
   its lease is still the one of its outcome; false, too, where another transaction has locked it.
 */
bool store_step_request_hold(struct db *db, const struct store_step_outcome *outcomes, guint count,
    bool *held_r, GError **error);

/* Stores it, and makes the execution due if the request is answered, in one statement. *stored_r
   is false, with nothing changed, when the lease is another's or the execution does not run. */
bool store_step_request_end(
    struct db *db, const struct store_step_outcome *outcome, bool *stored_r, GError **error);

#endif
