/* SPDX-License-Identifier: MIT */
#ifndef FCGI_AUTH_H
#define FCGI_AUTH_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/key.h"

struct db;
struct fcgi_reply;
struct fcgi_request;
struct base_settings;

/* The keys that a process has seen: what each may do never changes, but it may end, and how often
   it may be used is looked up again after 5 s. */
struct fcgi_auth;

/* settings must outlive it. */
struct fcgi_auth *fcgi_auth_new(const struct base_settings *settings);
void fcgi_auth_free(struct fcgi_auth *auth);
DEFINE_AUTO(fcgi_auth, fcgi_auth_free)

/* Whether the request brings a key at all; if not, the reply says so. *key_r lives as long as the
 * request. */
bool fcgi_auth_credentials(
    const struct fcgi_request *request, const char **key_r, struct fcgi_reply *reply);

/* Whether that key is good, within the rates of its workspace and its own, and good for an
   operation that needs this scope. False with error when it cannot be checked, or when it is used
   too often (LIMITED; reply->wait_s is set); false without, when the reply says why not. One that
   was seen before is looked up with the operation's first statement, to save a round trip;
   fcgi_auth_confirm tells whether it was still good. One that is used too often is not looked up:
   so much, and that it was a key, the database is not asked to keep from someone whose key ended
   less than 5 s ago. */
bool fcgi_auth_check(struct fcgi_auth *auth, struct db *db, const char *text,
    enum store_key_scope needed, struct store_key *key_r, struct fcgi_reply *reply, GError **error);

/* After the operation, or what it failed of: if the key was no longer good, so that nothing of it
   has happened, the reply says so in place of all else. */
void fcgi_auth_confirm(
    struct fcgi_auth *auth, struct db *db, struct fcgi_reply *reply, GError **error);

#endif
