/* SPDX-License-Identifier: MIT */
/* Finds the API key of a request, and checks it against the database and its rates. */
#include "fcgi/api/auth.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "fcgi/api/context.h"
#include "fcgi/http/reply.h"
#include "fcgi/http/request.h"
#include "service/key.h"
#include "service/key_use.h"
#include "service/rates.h"
#include "service/service.h"
#include "store/workspace/limit.h"

#define SCHEME "Bearer "
#define RESEND_PREFIX "re_"
#define KEYS_MAX 1000

#define KNOWN_MS 5000 /* how long the limits of a cached key are used */
#define SLOW_MS 10000 /* how long a workspace is slow */
#define SLOW_MAX 1000

struct fcgi_auth {
	GHashTable *keys; /* SHA-256 of the key's text → struct known_key */
	GHashTable *slow; /* id of a workspace → gint64: until when, on base_clock_boot */
	struct service_rates *rates;
};

struct known_key {
	struct store_key key;
	struct store_limits limits;
	gint64 until; /* on base_clock_boot */
};

static guint
hash_start(const void *hash)
{
	guint start;

	memcpy(&start, hash, sizeof(start));
	return start;
}

static gboolean
equal_hashes(const void *a, const void *b)
{
	return memcmp(a, b, SHA256_SIZE) == 0;
}

/* The last bytes of an id are random. */
static guint
auth_hash_id(const void *data)
{
	const struct base_id *id = data;
	guint last;

	memcpy(&last, id->bytes + sizeof(id->bytes) - sizeof(last), sizeof(last));
	return last;
}

static gboolean
auth_equal_ids(const void *a, const void *b)
{
	return base_id_equal(a, b);
}

bool
fcgi_auth_credentials(const struct fcgi_request *request, const char **key_r)
{
	const char *header = fcgi_request_header(request, "HTTP_AUTHORIZATION");
	const char *key = NULL;

	/* After RewriteRule … [E=HTTP_AUTHORIZATION:…], which shared hosts advise, Apache's inner
	   redirect names it so. No header of a client has that name. */
	if (!header)
		header = fcgi_request_header(request, "REDIRECT_HTTP_AUTHORIZATION");
	if (!header || !*header)
		key = fcgi_request_header(request, "HTTP_X_API_KEY");
	else if (g_ascii_strncasecmp(header, SCHEME, strlen(SCHEME)) == 0)
		key = header + strlen(SCHEME);
	while (key && *key == ' ')
		key++;
	/* Clients of Resend may ask for keys that begin with re_. */
	if (key && g_str_has_prefix(key, RESEND_PREFIX SERVICE_KEY_PREFIX))
		key += strlen(RESEND_PREFIX);
	if (key && *key) {
		*key_r = key;
		return true;
	}
	return false;
}

struct fcgi_auth *
fcgi_auth_new(const struct config_settings *settings)
{
	struct fcgi_auth *auth = g_new0(struct fcgi_auth, 1);

	auth->keys = g_hash_table_new_full(hash_start, equal_hashes, g_free, g_free);
	auth->slow = g_hash_table_new_full(auth_hash_id, auth_equal_ids, g_free, g_free);
	auth->rates = service_rates_new(settings);
	return auth;
}

void
fcgi_auth_free(struct fcgi_auth *auth)
{
	g_hash_table_unref(auth->keys);
	g_hash_table_unref(auth->slow);
	service_rates_free(auth->rates);
	g_free(auth);
}

void
fcgi_auth_note_slow(struct fcgi_auth *auth, const struct base_id *workspace)
{
	const gint64 until = base_clock_boot() + SLOW_MS;

	if (g_hash_table_size(auth->slow) >= SLOW_MAX)
		g_hash_table_remove_all(auth->slow);
	g_hash_table_replace(
	    auth->slow, g_memdup2(workspace, sizeof(*workspace)), g_memdup2(&until, sizeof(until)));
}

bool
fcgi_auth_is_slow(const struct fcgi_auth *auth, const struct base_id *workspace)
{
	const gint64 *until = g_hash_table_lookup(auth->slow, workspace);

	return until && base_clock_boot() < *until;
}

static void
auth_deny(struct fcgi_reply *reply)
{
	reply->form->denied(reply, DENIAL_INVALID);
}

static const struct known_key *
remember(struct fcgi_auth *auth, const guint8 hash[SHA256_SIZE], const struct known_key *found)
{
	struct known_key *known = g_memdup2(found, sizeof(*found));

	if (g_hash_table_size(auth->keys) >= KEYS_MAX)
		g_hash_table_remove_all(auth->keys);
	g_hash_table_insert(auth->keys, g_memdup2(hash, SHA256_SIZE), known);
	return known;
}

/* Returns the key from the cache, or reads it from the database (*read_r). NULL with NOT_FOUND when
   it is not valid. */
static const struct known_key *
auth_find(struct fcgi_auth *auth, struct db *db, const guint8 hash[SHA256_SIZE], bool *read_r,
    GError **error)
{
	const struct known_key *known = g_hash_table_lookup(auth->keys, hash);
	gint64 now = base_clock_boot();
	struct known_key found = {.until = now + KNOWN_MS};

	*read_r = !known || now >= known->until;
	if (!*read_r)
		return known;
	if (!store_key_find(db, hash, base_clock_now(), &found.key, &found.limits, error)) {
		if (g_error_matches(*error, PH_ERROR, PH_ERROR_NOT_FOUND))
			g_hash_table_remove(auth->keys, hash);
		return NULL;
	}
	return remember(auth, hash, &found);
}

/* Takes from the buckets, and adds them to the reply's RateLimit headers. */
static bool
auth_take_rates(struct fcgi_auth *auth, const struct store_key *key,
    const struct store_limits *limits, struct fcgi_reply *reply, GError **error)
{
	struct service_rates_taken taken;
	bool done = service_rates_take(auth->rates, key, limits, &taken, error);

	for (guint i = 0; i < taken.count; i++) {
		const struct base_bucket *bucket = &taken.buckets[i];
		const struct base_bucket_state *state = &taken.states[i];

		fcgi_reply_limit(
		    reply, &(struct fcgi_reply_limit){taken.names[i], bucket->burst,
			       (bucket->burst + bucket->rate - 1) / bucket->rate, state->left,
			       service_rates_seconds(state->full_ns), false});
	}
	if (!done)
		reply->wait_s = taken.wait_s;
	return done;
}

bool
fcgi_auth_check(struct fcgi_auth *auth, struct fcgi_call *call, const char *text,
    struct db **guarded_r, GError **error)
{
	struct db *db = call->service->db;
	g_autoptr(GError) local = NULL;
	bool was_read;

	*guarded_r = NULL;
	base_secret_sha256(text, strlen(text), call->key_hash);
	const struct known_key *known = auth_find(auth, db, call->key_hash, &was_read, &local);
	if (!known) {
		if (g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
			auth_deny(call->reply);
		else
			g_propagate_error(error, g_steal_pointer(&local));
		return false;
	}
	call->key = known->key;
	if (!auth_take_rates(auth, &call->key, &known->limits, call->reply, error))
		return false;
	service_key_use(call->service, &call->key, was_read);
	if (!was_read)
		*guarded_r = store_key_guard(db, call->key_hash, 1, base_clock_now());
	return true;
}

bool
fcgi_auth_rate(struct fcgi_auth *auth, const struct store_key *key,
    const struct store_limits *limits, struct fcgi_reply *reply, GError **error)
{
	return auth_take_rates(auth, key, limits, reply, error);
}

/* Server and database failures are reported without checking the key first: they reveal nothing. */
static bool
reveals_nothing(const GError *error)
{
	return g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY) ||
	       g_error_matches(error, PH_ERROR, PH_ERROR_UNCERTAIN) ||
	       g_error_matches(error, PH_ERROR, PH_ERROR_FAILED);
}

bool
fcgi_auth_confirm(
    struct fcgi_auth *auth, struct db *guarded, struct fcgi_reply *reply, GError **error)
{
	g_autoptr(GError) local = NULL;

	if (store_key_confirm(guarded, &local))
		return true;
	bool ended = g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND);
	if (!ended && reveals_nothing(*error))
		return false;
	g_clear_error(error);
	fcgi_reply_reset(reply);
	if (ended) {
		g_hash_table_remove_all(auth->keys);
		auth_deny(reply);
	} else {
		g_propagate_error(error, g_steal_pointer(&local));
	}
	return false;
}
