/* SPDX-License-Identifier: MIT */
/* What a handler gets, and gives. */
#ifndef FCGI_CALL_H
#define FCGI_CALL_H

#include <glib.h>

#include "base/secret.h"
#include "fcgi/reply.h"
#include "store/key.h"

struct core;
struct core_delivery;
struct json;
struct fcgi_request;
struct core_engagement;

struct fcgi_call {
	struct core *core;
	struct store_key key; /* of the client; its workspace is all that it can reach */
	struct fcgi_request *request;
	char *const *arguments; /* what the pattern's {names} took */
	struct json *json;	/* the body of fcgi_routes that take one, an object; a handler may
				   free it, and set NULL */
	gsize body_size;	/* how many bytes it had */
	guint8 digest[SHA256_SIZE]; /* of a request with an Idempotency-Key */
	GString *ignored;	    /* names that nobody knows (json/unknown.h); NULL: none */
	struct fcgi_reply *reply;
	struct core_engagement
	    *visit; /* what is recorded once the client has its answer; freed then */
	struct core_delivery
	    *delivery; /* what has to be brought to its end once the client has its answer */
};

#endif
