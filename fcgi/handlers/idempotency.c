/* SPDX-License-Identifier: MIT */
/* Requests that may be repeated. */
#include "fcgi/handlers/idempotency.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "fcgi/call.h"
#include "fcgi/request.h"
#include "store/idempotency.h"

#define HEADER "HTTP_IDEMPOTENCY_KEY"

void
fcgi_idempotency_digest(struct fcgi_call *call, const void *body, gsize size)
{
	struct store_idempotency key;

	if (!fcgi_request_header(call->request, HEADER))
		return;
	store_idempotency_digest(&key, call->request->path, body, size);
	memcpy(call->digest, key.request, SHA256_SIZE);
}

bool
fcgi_idempotency_read(
    struct fcgi_call *call, struct store_idempotency *key, bool *given_r, GError **error)
{
	const char *name = fcgi_request_header(call->request, HEADER);

	*given_r = name != NULL;
	if (!name)
		return true;
	gsize length = strlen(name);
	for (const char *p = name; *p; p++)
		if (*p < ' ' || *p > '~')
			length = 0;
	if (length < 1 || length > LIMIT_IDEMPOTENCY_KEY_LENGTH) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "Idempotency-Key must be 1 to %d printable characters",
		    LIMIT_IDEMPOTENCY_KEY_LENGTH);
		return false;
	}
	key->workspace_id = call->key.workspace_id;
	key->name = name;
	memcpy(key->request, call->digest, SHA256_SIZE);
	return true;
}
