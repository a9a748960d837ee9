/* SPDX-License-Identifier: MIT */
/* Clients that log in with an API key. */
#ifndef SMTPD_LOGIN_H
#define SMTPD_LOGIN_H

#include <glib.h>
#include <stdbool.h>

#include "base/secret.h"
#include "store/workspace/key.h"
#include "store/workspace/limit.h"

struct service;
struct service_rates;
struct smtpd_wire;

/* The key of a session. */
struct smtpd_login {
	bool is_done;
	guint8 hash[SHA256_SIZE];
	struct store_key key;
	struct store_limits limits;
	gint64 until; /* how long these are used, on base_clock_boot */
};

/* Looks at the password of a client, and writes the reply to it. A failed login counts for the
   network of the client, in the database; past [smtpd] attempts none is looked at. */
void smtpd_login(struct service *service, const struct smtpd_wire *wire, const char *password,
    struct smtpd_login *login, GString *reply);

/* Checks the key again for a message, which is a request of its rates. UNAUTHORIZED "Invalid API
   key" when it is gone; LIMITED; errors of db/statement.h. A key that was read a moment ago is
   checked with the first statement that follows, to save a round trip: if *guarded_r is not NULL,
   the message goes through this service (service_guarded), which the caller closes; call
   smtpd_login_confirm once the message is stored or refused. */
bool smtpd_login_check(struct service *service, struct service_rates *rates,
    struct smtpd_login *login, struct service **guarded_r, GError **error);

/* Ends that check. UNAUTHORIZED when the key was not valid any more: nothing was stored then. */
bool smtpd_login_confirm(const struct service *guarded, struct smtpd_login *login, GError **error);

#endif
