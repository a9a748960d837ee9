#ifndef SMTP_RELAY_H
#define SMTP_RELAY_H

#include <glib.h>
#include <stdbool.h>

#include "base/settings.h"

/* Where and how to submit. Strings are not NULL unless said. */
struct smtp_relay {
	const char *host; /* a name or an IPv4 address */
	guint port;
	enum setting_tls tls;	 /* opportunistic: when offered, and the certificate is not checked;
				    but with a user it must be offered, for the password's sake */
	const char *tls_ca;	 /* PEM file; "" is the system's store */
	const char *user;	 /* "" sends no AUTH; else AUTH must succeed. At most 255 bytes */
	const char *password;	 /* at most 255 bytes; stands in no error */
	const char *helo;	 /* domain name or address literal; "" is the machine's name */
	guint connect_timeout_s; /* for each address of the host; 0 is 5 */
	guint timeout_s;	 /* for each reply and each write; 0 is 60 */
	guint dot_timeout_s;	 /* for the reply to the final dot; 0 is 600 (RFC 5321 4.5.3.2.6) */
	bool dsn;		 /* asks for reports (RFC 3461) where the relay offers them */
};

/* Refuses what libesmtp would not survive or would misread. False with FAILED. */
bool smtp_relay_check(const struct smtp_relay *relay, GError **error);

#endif
