#ifndef FCGI_AUTH_H
#define FCGI_AUTH_H

#include <glib.h>
#include <stdbool.h>

#include "store/key.h"

struct db;
struct reply;
struct request;

/* Whether the request brings a key at all; if not, the reply says so. *key_r lives as long as the
 * request. */
bool auth_credentials(const struct request *request, const char **key_r, struct reply *reply);

/* Whether that key is good for an operation that needs this scope. False with error when it cannot
   be checked; false without, when the reply says why not. */
bool auth_check(struct db *db, const char *text, enum key_scope needed, struct key *key_r,
    struct reply *reply, GError **error);

#endif
