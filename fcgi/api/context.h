/* SPDX-License-Identifier: MIT */
/* One request on its way through a handler: the checked input, the reply, and the work that is left
 * for after it. */
#ifndef FCGI_API_CONTEXT_H
#define FCGI_API_CONTEXT_H

#include <glib.h>
#include <stdbool.h>

#include "base/secret.h"
#include "fcgi/http/reply.h"
#include "fcgi/http/request.h"
#include "json/unknown.h"
#include "store/consent/choice.h"
#include "store/workspace/key.h"
#include "store/workspace/session.h"
#include "submit/sign_in.h"

struct service;
struct db_prefetch;
struct email_prefetch;
struct service_idempotency;
struct service_once;
struct json;
struct fcgi_route;

#define FCGI_CALL_IDEMPOTENCY "HTTP_IDEMPOTENCY_KEY" /* the header */

struct fcgi_call {
	struct service *service;
	struct store_key key; /* the client's; a handler reaches only the workspace of this key. For
				 a session it has the workspace and the user, and scope full */
	struct store_session session;	    /* of a browser, if key.is_session */
	char csrf[LINK_SIGN_IN_TOKEN_SIZE]; /* of the session */
	guint8 key_hash[SHA256_SIZE];
	struct fcgi_request *request;
	char request_id[REQUEST_ID_SIZE]; /* the X-Request-Id of the answer */
	const struct fcgi_route *route;
	char *const *arguments;	    /* the parts of the path that stand for the pattern's {names} */
	struct json *json;	    /* the request's body, an object, on routes that take one. A
				       handler may free it early, and then sets NULL */
	gsize body_size;	    /* of that body, in bytes */
	guint8 digest[SHA256_SIZE]; /* of path and body, when an Idempotency-Key is given */
	char *logged_body;	    /* of a front that logs requests; NULL: none */
	char *audit_name;	    /* of what the call deletes (fcgi/api/audit.h); NULL: none */
	char idempotency[64];	    /* for a front that keeps such a key under a name of its own */
	struct json_unknown unknown; /* names that the operation does not know */
	struct fcgi_reply *reply;
	const struct db_prefetch *ahead; /* what the route's form has read for several requests;
					    NULL: nothing */
	const struct email_prefetch *prefetch; /* rows of several requests, for a check that
						  foresees them; NULL: none */
	void (*after)(struct service *service, void *data); /* see fcgi_call_after */
	void *after_data;
};

/* Leaves work for after the reply: function runs once the client has the whole reply, whether or
   not the handler succeeds. It owns data from now on, and logs its own failures. At most one for a
   call. */
void fcgi_call_after(
    struct fcgi_call *call, void (*function)(struct service *service, void *data), void *data);

/* After the reply: finishes a stored request (service_once_finish), which it takes. */
void fcgi_call_finish_later(struct fcgi_call *call, struct service_once *request);

/* The only domain that the call's key may send from; NULL: any of its workspace. */
const struct base_id *fcgi_call_only_domain(const struct fcgi_call *call);

/* Runs that work, if there is any. The request and the reply may be gone by now. */
void fcgi_call_finish(struct fcgi_call *call);

/* Reads the request's body, of at most [limits] request_bytes and most bytes (0: no limit of its
   own), sets call->body_size, and of a request that has an Idempotency-Key call->digest too. Errors
   of fcgi_request_body. The caller owns *bytes_r, which is NULL when there are none. */
bool fcgi_call_body(struct fcgi_call *call, gsize most, char **bytes_r, GError **error);

/* Reads the Idempotency-Key header into key, which borrows from the request and from call->digest.
   If there is no such header, the key has no name. write makes the body that the key keeps
   (service/once.h). INVALID when the header is not 1 to LIMIT_IDEMPOTENCY_KEY_LENGTH printable
   ASCII characters. */
bool fcgi_call_idempotency(struct fcgi_call *call, struct service_idempotency *key_r,
    char *(*write)(const struct service_once *request), GError **error);

/* Reads one document of an array in the body (JSON_DOCUMENTS) as if it were a body alone, but that
   its ignored members stand in the list of the whole body. INVALID "must be an object", and as of
   json_fields_read. */
bool fcgi_call_document(const struct fcgi_call *call, const struct json *document,
    const struct json_table *table, void *out, GError **error);

/* How the requests of an operation are gathered (fcgi/api/gather.c), in whichever front. */
struct fcgi_gathering {
	/* Whether this request waits for other servers when it is checked or goes on. It is then
	   stored alone, so that no other request waits with it. */
	bool (*waits)(const struct fcgi_call *call);
	/* Adds what the check of this request will look up. NULL: nothing. */
	void (*foresee)(const struct fcgi_call *call, struct email_prefetch *ahead);
};

/* An operation that stores a request (service/once.h), in the steps that let many requests share a
   transaction: check each, store all, answer each (fcgi/api/gather.c). The rest is the kind of the
   request (struct service_once_kind), which is the same in each front. */
struct fcgi_storing {
	guint status; /* of the answer */
	/* Checks the request. NULL with error, or when it has replied itself. */
	struct service_once *(*check)(struct fcgi_call *call, GError **error);
	/* Writes the body of the answer to a stored request. The caller owns it. */
	char *(*write)(const struct service_once *request);
	const struct fcgi_gathering *gathering; /* NULL: it is gathered, and foresees nothing */
};

/* Answers a request that is stored or replayed, and follows it (service_once_follow). */
void fcgi_call_answer(
    struct fcgi_call *call, const struct fcgi_storing *storing, struct service_once *request);

/* Reads the reason for acting against a contact's choice to unsubscribe, from the body's member
   "override" (true, false or text; NULL when it is not there) or from the query's parameter of that
   name. *given_r is override, filled in, or NULL when no override is given; it borrows from the
   call, and records the key and its user. INVALID as consent_read says. */
bool fcgi_call_override(const struct fcgi_call *call, const struct json *member,
    struct store_consent_override *override, const struct store_consent_override **given_r,
    GError **error);
/* The author of a workflow that the call makes: the user of a session, or the key, whose id is
   written to id_r; borrows from both. */
struct automation_workflow_author fcgi_call_author(
    const struct fcgi_call *call, char id_r[ID_TEXT_SIZE]);

/* How the call's operator changes consent; borrows from the call. */
struct store_consent_act fcgi_call_act(const struct fcgi_call *call);

/* Reads the parameter override of the query, a reason, into *override, with the call's user and
   key. *given_r is override, or NULL when the parameter was not given. False with INVALID "override
   ..." for a wrong one. */
bool fcgi_call_override_query(struct fcgi_call *call, struct store_consent_override *override,
    const struct store_consent_override **given_r, GError **error);

#endif
