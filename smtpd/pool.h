/* SPDX-License-Identifier: MIT */
/* A pool of processes that grows with the sessions. The first process takes the connections and
   hands each to a worker that has none; there is a new worker where all have one. A worker keeps
   its connection to the database, and ends when it had no session for a minute. */
#ifndef SMTPD_POOL_H
#define SMTPD_POOL_H

#include <glib.h>

struct config_settings;

/* Serves clients of listeners, an array of struct smtpd_listener, until SIGTERM or SIGINT. SIGHUP
   reads the settings and the certificate anew, for the sessions that begin then. Returns the exit
   status. */
int smtpd_pool_run(const struct config_settings *settings, const GArray *listeners);

#endif
