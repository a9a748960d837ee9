/* SPDX-License-Identifier: MIT */
/* The API key of a request: how it is found, and checked against the database and its rates. */
#ifndef FCGI_API_AUTH_H
#define FCGI_API_AUTH_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/workspace/key.h"

struct db;
struct fcgi_call;
struct fcgi_reply;
struct fcgi_request;
struct store_limits;
struct base_id;
struct config_settings;

/* A cache of the keys that a process has seen. The scope of a key never changes. Its limits are
   read again after 5 s. A key may end at any time, so each use is confirmed in the database. */
struct fcgi_auth;

/* settings must outlive it. The caller frees it. */
struct fcgi_auth *fcgi_auth_new(const struct config_settings *settings);
void fcgi_auth_free(struct fcgi_auth *auth);
DEFINE_AUTO(fcgi_auth, fcgi_auth_free)

/* Reads the key from the request's Authorization or X-API-Key header; it lives as long as the
   request. re_ in front of a key of ours is passed over. False when there is none. */
bool fcgi_auth_credentials(const struct fcgi_request *request, const char **key_r);

/* Checks that the key is valid and is within the rates of its workspace and its own, and sets the
   call's key and key_hash. Two kinds of failure return false:
   - error set: the key cannot be checked (errors of the database), or a rate is exceeded (LIMITED;
     the reply's wait_s is set);
   - no error: the key is invalid, and the reply tells it.
   A key from the cache is confirmed with the operation's first statement, to save a round trip: if
   *guarded_r is not NULL, the operation goes through this handle (store_key_guard), which the
   caller closes after fcgi_auth_confirm. A cached key whose rate is exceeded is not confirmed at
   all: the client of a key that ended less than 5 s ago may then read 429 instead of 403. */
bool fcgi_auth_check(struct fcgi_auth *auth, struct fcgi_call *call, const char *text,
    struct db **guarded_r, GError **error);

/* Holds a client that is no key to the rates of its workspace, and to those of a key under the id
   of key. LIMITED as above. */
bool fcgi_auth_rate(struct fcgi_auth *auth, const struct store_key *key,
    const struct store_limits *limits, struct fcgi_reply *reply, GError **error);

/* A workspace whose request took much processor time, and whether it did a short while ago: then
   nobody else is to wait for its requests. */
void fcgi_auth_note_slow(struct fcgi_auth *auth, const struct base_id *workspace);
bool fcgi_auth_is_slow(const struct fcgi_auth *auth, const struct base_id *workspace);

/* Ends the check after the operation, whether it succeeded or set *error. If the key was not valid
   any more, the database has refused the operation's first statement and nothing was done: the
   reply becomes 403 and *error is cleared. If the key could not be confirmed, *error says so. False
   in both cases. */
bool fcgi_auth_confirm(
    struct fcgi_auth *auth, struct db *guarded, struct fcgi_reply *reply, GError **error);

#endif
