/* API keys: from a header to a workspace. */
#include "fcgi/auth.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "fcgi/reply.h"
#include "fcgi/request.h"

#define SCHEME "Bearer "

bool
auth_credentials(const struct request *request, const char **key_r, struct reply *reply)
{
	const char *header = request_header(request, "HTTP_AUTHORIZATION");
	const char *key = NULL;

	if (!header || !*header)
		key = request_header(request, "HTTP_X_API_KEY");
	else if (g_ascii_strncasecmp(header, SCHEME, strlen(SCHEME)) == 0)
		key = header + strlen(SCHEME);
	while (key && *key == ' ')
		key++;
	if (key && *key) {
		*key_r = key;
		return true;
	}
	reply_denied(reply, 401, "Missing API key", "api_key_missing");
	return false;
}

static const char *
forbidden(enum key_scope scope)
{
	return scope == KEY_READ ? "This API key may only read"
				 : "This API key may only send emails and events";
}

bool
auth_check(struct db *db, const char *text, enum key_scope needed, struct key *key_r,
    struct reply *reply, GError **error)
{
	g_autoptr(GError) local = NULL;
	guint8 hash[SHA256_SIZE];

	base_secret_sha256(text, strlen(text), hash);
	if (!store_key_find(db, hash, base_clock_now(), key_r, &local)) {
		if (g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
			reply_denied(reply, 403, "Invalid API key", "api_key_invalid");
		else
			g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	if (key_r->scope == KEY_FULL || key_r->scope == needed)
		return true;
	reply_denied(reply, 403, forbidden(key_r->scope), "api_key_forbidden");
	return false;
}
