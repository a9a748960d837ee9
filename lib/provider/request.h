/* SPDX-License-Identifier: MIT */
/* A request of a provider, and what its signature says. */
#ifndef PROVIDER_REQUEST_H
#define PROVIDER_REQUEST_H

#include <glib.h>

struct json;

struct provider_request {
	const char *body;
	gsize size;
	const struct json *json; /* of the body; NULL: it is not parsed yet */
	/* The value of a header ("svix-id"), or NULL. */
	const char *(*header)(const void *context, const char *name);
	const void *context;
	gint64 now; /* epoch ms */
};

enum provider_verdict {
	PROVIDER_GENUINE,
	PROVIDER_FORGED,
	PROVIDER_ANONYMOUS, /* it should name a user and does not */
};

#endif
