/* SPDX-License-Identifier: MIT */
/* Sends tests of broadcasts. */
#ifndef BROADCAST_TEST_SEND_H
#define BROADCAST_TEST_SEND_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct service;

/* A test, as a request gives it. */
struct broadcast_test_send {
	const char **to;    /* addresses, NULL-terminated */
	const char *person; /* an email: the person whose values are filled in; NULL: nobody's */
	gint64 variant;
};

/* Sends the broadcast, as it stands now, to the addresses alone. No figure counts it, and its links
   to unsubscribe change nothing. INVALID, naming the field, also "Person not found"; FORBIDDEN as
   email_draft_new; NOT_FOUND; LIMITED as of service_quota_check. */
bool broadcast_test_send_send(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct broadcast_test_send *trial, GError **error);

#endif
