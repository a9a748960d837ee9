/* SPDX-License-Identifier: MIT */
#ifndef SMTP_RELAY_H
#define SMTP_RELAY_H

#include <glib.h>
#include <stdbool.h>

#include "base/settings.h"

/* Where and how to submit. Strings are not NULL unless said. */
struct smtp_relay {
	const char *host; /* a name or an IPv4 address */
	guint port;
	enum base_setting_tls tls; /* opportunistic: when offered, and the certificate is not
			      checked; but with a user as required, for the password's sake */
	const char *tls_ca;	   /* PEM file; "" is the system's store */
	bool unverified;	   /* no certificate is checked, whatever the rest says */
	const char *user;	   /* "" sends no AUTH; else AUTH must succeed. At most 255 bytes */
	const char *password;	   /* at most 255 bytes; stands in no error */
	const char *helo;	   /* domain name or address literal; "" is the machine's name */
	guint connect_timeout_s;   /* for each address of the host; 0 is 5 */
	guint timeout_s;	   /* for each reply and each write; 0 is 60 */
	guint dot_timeout_s; /* for the reply to the final dot; 0 is 600 (RFC 5321 4.5.3.2.6) */
	bool dsn;	     /* asks for reports (RFC 3461) where the relay offers them */
};

/* Whether the relay has to prove its name by a certificate: where TLS is required, and where a
   password is sent over TLS. */
bool smtp_relay_must_prove(const struct smtp_relay *relay);

/* Refuses what libesmtp would not survive or would misread, and a password without TLS for another
   machine, unless the relay is unverified: on its way, and there, anybody could read it. To this
   machine, that is to 127.0.0.0/8 or localhost, it may go. False with FAILED. */
bool smtp_relay_check(const struct smtp_relay *relay, GError **error);

#endif
