/* SPDX-License-Identifier: MIT */
/* The connection to a client: bytes in and out, with or without TLS, within their times. */
#ifndef SMTPD_WIRE_H
#define SMTPD_WIRE_H

#include <glib.h>
#include <openssl/ssl.h>
#include <stdbool.h>

#include "text/network.h"

struct intake_place;

struct smtpd_wire {
	int fd, signals;  /* signals: of smtpd_wire_signals */
	SSL *ssl;	  /* NULL: no TLS */
	bool has_address; /* else it is a Unix socket, which is as loopback */
	struct text_network_address address;
	char address_text[ADDRESS_TEXT_SIZE]; /* "" without */
	gint64 timeout_ms;		      /* for a line */
	gint64 end, line_end;		      /* on base_clock_boot */
	gint64 stop_end; /* until when a transaction may go on after the signal; 0: none came */
};

/* Blocks SIGTERM and SIGINT, and opens a descriptor that is readable from the first of them on. */
int smtpd_wire_signals(void);

/* Takes a connected socket of the client. False when it is none. */
bool smtpd_wire_open(
    struct smtpd_wire *wire, int fd, int signals, gint64 timeout_s, gint64 longest_s);
void smtpd_wire_close(struct smtpd_wire *wire);

/* Shakes hands. False when that fails or takes too long. */
bool smtpd_wire_start_tls(struct smtpd_wire *wire, SSL_CTX *context);

/* For intake/host.h. */
gssize smtpd_wire_read(
    struct smtpd_wire *wire, void *bytes, gsize size, const struct intake_place *place);
bool smtpd_wire_write(struct smtpd_wire *wire, const char *bytes, gsize size);
bool smtpd_wire_waits(struct smtpd_wire *wire);

/* Whether the client is on this machine. */
bool smtpd_wire_is_loopback(const struct smtpd_wire *wire);

#endif
