/* SPDX-License-Identifier: MIT */
/* Clients that log in with an API key. */
#ifndef SMTPD_LOGIN_H
#define SMTPD_LOGIN_H

#include <glib.h>
#include <stdbool.h>

#include "base/secret.h"
#include "store/workspace/key.h"

struct service;
struct service_rates;
struct smtpd_wire;

/* The key of a session. */
struct smtpd_login {
	bool is_done;
	guint8 hash[SHA256_SIZE];
	struct store_key key;
};

/* Looks at the password of a client, and writes the reply to it. A failed login counts for the
   network of the client, in the database; past [smtpd] attempts none is looked at. */
void smtpd_login(struct service *service, const struct smtpd_wire *wire, const char *password,
    struct smtpd_login *login, GString *reply);

/* Checks the key again for a message, which is a request of its rates. UNAUTHORIZED "Invalid API
   key" when it is gone; LIMITED; errors of db/statement.h. */
bool smtpd_login_check(struct service *service, struct service_rates *rates,
    struct smtpd_login *login, GError **error);

#endif
