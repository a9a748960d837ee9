/* SPDX-License-Identifier: MIT */
/* The sockets at which clients arrive. */
#ifndef SMTPD_LISTEN_H
#define SMTPD_LISTEN_H

#include <glib.h>
#include <stdbool.h>

struct smtpd_listener {
	int fd;
	bool is_tls; /* TLS begins with the first byte */
};

/* Adds the sockets that systemd has opened for this process (sd_listen_fds(3)), of which those
   called "tls" have TLS from the first byte, to an array of struct smtpd_listener. */
void smtpd_listen_inherit(GArray *listeners);

/* Checks a text ADDRESS:PORT, with an IPv6 address in brackets, which /tls may follow. INVALID. */
bool smtpd_listen_check(const char *text, GError **error);

/* Opens a socket at such a place and adds it. FAILED when it cannot be bound. */
bool smtpd_listen_open(GArray *listeners, const char *text, GError **error);

#endif
