/* SPDX-License-Identifier: MIT */
/* A session with a client, from its greeting to its end. */
#ifndef SMTPD_SESSION_H
#define SMTPD_SESSION_H

#include <stdbool.h>

struct service;
struct service_rates;
struct smtpd_tls;

/* The resources of a process, for all its sessions. */
struct smtpd_house {
	struct service *service;
	struct service_rates *rates;
	struct smtpd_tls *tls; /* NULL: there is no certificate */
	int signals;	       /* of smtpd_wire_signals */
	int channel;	       /* to the pool; -1: there is none */
};

/* Tells the pool that a session has ended, before its client sees that: it may come back at once,
   and then has to have its place again. */
void smtpd_session_end(const struct smtpd_house *house);

/* Speaks with the client of a connected socket, which it closes. is_tls: TLS begins with the first
   byte. False when it is no connected socket; then it stays open. */
bool smtpd_session_run(const struct smtpd_house *house, int fd, bool is_tls);

#endif
