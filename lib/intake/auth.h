/* SPDX-License-Identifier: MIT */
/* For this room: the mechanisms of AUTH (RFC 4954), PLAIN (RFC 4616) and LOGIN, which has no RFC.
 */
#ifndef INTAKE_AUTH_H
#define INTAKE_AUTH_H

#include <glib.h>

#define INTAKE_AUTH_STEPS 2

/* A mechanism: the client answers each challenge, and the last answer has the password. An answer
   to the first challenge may come with the command. */
struct intake_mechanism {
	const char *name;
	const char *challenges[INTAKE_AUTH_STEPS + 1]; /* in base64; NULL-terminated */
	/* Reads the password from an answer. NULL, or the reply that refuses it. The caller frees
	   the password with intake_auth_forget. */
	const char *(*read)(const char *answer, char **password_r);
};

/* NULL: it is not known. */
const struct intake_mechanism *intake_mechanism_find(const char *name, gsize size);

/* Looks at an answer that does not matter otherwise. NULL, or the reply that refuses it. */
const char *intake_auth_check(const char *answer);

/* Clears and frees a text. */
void intake_auth_forget(char *text);

#endif
