/* SPDX-License-Identifier: MIT */
/* Secrets of a workspace: checks, encrypts and stores them. */
#ifndef AUTOMATION_SECRET_H
#define AUTOMATION_SECRET_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct json_view;
struct service;
struct store_audit;
struct store_secret;

/* The members of a secret, a struct store_secret, in answers: never its value. */
extern const struct json_view automation_secret_view;

/* A secret to store. Borrowed. */
struct automation_secret_input {
	const struct base_id *workspace;
	const char *name;
	const char *value;	   /* NULL: a new one is made */
	struct store_audit *audit; /* NULL: the caller does that. The action and the target are
				      set */
};

struct automation_secret_stored {
	struct store_secret *secret; /* the caller frees it */
	char *value;		     /* the one that was made; NULL: the value was given */
	bool is_new;		     /* there was none of this name */
};

/* Whether a secret may have this name. */
bool automation_secret_is_name(const char *name);

/* Stores a secret, in place of one of this name. INVALID "name must be ..." or "value must be
   ..."; errors of store_secret_put. */
bool automation_secret_put(struct service *service, const struct automation_secret_input *input,
    struct automation_secret_stored *stored_r, GError **error);

#endif
