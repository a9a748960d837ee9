/* What a handler gets, and gives. */
#ifndef FCGI_CALL_H
#define FCGI_CALL_H

#include <glib.h>

#include "base/secret.h"
#include "fcgi/reply.h"
#include "store/key.h"

struct core;
struct delivery;
struct json;
struct request;
struct visit;

struct call {
	struct core *core;
	struct key key; /* of the client; its workspace is all that it can reach */
	struct request *request;
	char *const *arguments;	    /* what the pattern's {names} took */
	struct json *json;	    /* the body of routes that take one, an object; a handler may
				       free it, and set NULL */
	gsize body_size;	    /* how many bytes it had */
	guint8 digest[SHA256_SIZE]; /* of a request with an Idempotency-Key */
	GString *ignored;	    /* names that nobody knows (json/unknown.h); NULL: none */
	struct reply *reply;
	struct visit *visit; /* what is recorded once the client has its answer; freed then */
	struct delivery
	    *delivery; /* what has to be brought to its end once the client has its answer */
};

#endif
