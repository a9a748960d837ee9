/* SPDX-License-Identifier: MIT */
/* A relay: its address and the way to talk to it, and the checks of its settings. */
#ifndef SMTP_RELAY_H
#define SMTP_RELAY_H

#include <glib.h>
#include <stdbool.h>

#include "config/settings.h"

/* A relay: its address, and how to talk to it. Strings are never NULL. */
struct smtp_relay {
	const char *name; /* by which errors call it */
	const char *host; /* a name or an IPv4 address */
	guint port;
	enum config_setting_tls tls; /* opportunistic: TLS if offered; with a user it is required,
			      to protect the password */
	bool verifies;		     /* the certificate is checked: its chain and its name */
	bool unverified;	     /* the operator allows a password without a certificate */
	const char *tls_ca;	     /* PEM file; "" is the system's store */
	const char *tls_name;	     /* the name that the certificate has to be for, or "": host */
	const char *tls_cert, *tls_key; /* PEM files of our own certificate; "": none */
	const char *user;     /* "" sends no AUTH; else AUTH must succeed. At most 255 bytes */
	const char *password; /* at most 255 bytes; never part of an error */
	enum config_relay_auth auth;
	const char *token_command; /* prints the token of XOAUTH2 */
	const char *source;	   /* IPv4 address to connect from; "" is any */
	const char *helo;	   /* domain name or address literal; "" is the machine's name */
	guint connect_timeout_s;   /* for each address of the host; 0 is 5 */
	guint timeout_s;	   /* for each reply and each write; 0 is 60 */
	guint dot_timeout_s; /* for the reply to the final dot; 0 is 600 (RFC 5321 4.5.3.2.6) */
	bool dsn;	     /* asks for reports (RFC 3461) where the relay offers them */
	const char *enforced_for; /* the domain that asks for TLS and a certificate that holds,
				     whatever tls and verifies are; NULL: none */
};

/* Whether a relay is spoken to at the port of implicit TLS without it: it then waits for TLS, and
   sends no greeting. */
bool smtp_relay_waits_for_tls(const struct smtp_relay *relay);

/* The seconds to wait for the greeting of a relay. */
guint smtp_relay_greeting_s(const struct smtp_relay *relay);

/* Checks a relay. FAILED for values that libesmtp would crash on or misread, and for a password
   without TLS to another machine, where it could be read on its way, unless the relay is
   unverified. A password may go to this machine (127.0.0.0/8 or localhost) without TLS. */
bool smtp_relay_check(const struct smtp_relay *relay, GError **error);

#endif
