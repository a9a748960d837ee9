/* SPDX-License-Identifier: MIT */
/* Counters of what this process does. They are kept in memory, and added to those of the
   installation every few seconds (service_metrics_flush), which upkeep_metrics_text shows. */
#ifndef SERVICE_METRICS_H
#define SERVICE_METRICS_H

#include <glib.h>
#include <stdbool.h>

#include "store/email/event.h"

struct base_id;
struct config_relay;
struct service;
struct db;

/* The counters, stored as numbers. */
enum service_metric {
	METRIC_REQUESTS = 1,	   /* method, route, status */
	METRIC_REQUEST_SECONDS,	   /* route */
	METRIC_ATTEMPTS,	   /* relay, destination, result */
	METRIC_ATTEMPT_SECONDS,	   /* relay */
	METRIC_REFUSALS,	   /* relay, reason */
	METRIC_RESTS,		   /* relay, identity: the time until which it rests, epoch ms */
	METRIC_CERTIFICATES,	   /* relay, identity: the end of its certificate, epoch s */
	METRIC_EVENTS,		   /* domain, status */
	METRIC_PROVIDER_EVENTS,	   /* provider, relay, result */
	METRIC_MESSAGES,	   /* state */
	METRIC_LAST_RUN,	   /* of the spool, epoch s */
	METRIC_EXECUTIONS,	   /* state */
	METRIC_EXECUTIONS_ENDED,   /* status */
	METRIC_WEBHOOK_DELIVERIES, /* result */
	METRIC_COUNTED,		   /* the time at which states may be counted again */
	METRIC_SMTP_SESSIONS,	   /* that are open */
	METRIC_SMTP_MESSAGES,	   /* kind */
	METRIC_SMTP_SECONDS,	   /* an empty label */
	METRIC_SMTP_LOGINS,	   /* result */
	METRIC_RECEIVED = 24,	   /* domain, action */
	METRIC_STARTS,		   /* source */
	METRIC_STEP_REQUESTS = 29, /* result */
	METRIC_MAILINGS_HELD = 40, /* reason: hours, cap */
	METRIC_MAILINGS_SKIPPED,   /* reason: cap, snoozed, ended */
	METRIC_REPORTS, /* kind: dmarc, tls, complaint; result: recorded, repeated, refused */
	METRIC_SOURCE_ATTEMPTS, /* relay, source, result */
	METRIC_LOOK_SECONDS,	/* the last look at segments and dates, ms */
	METRIC_END,		/* behind the last one */
};

/* Adds to a counter, or sets a time (METRIC_RESTS, METRIC_CERTIFICATES, METRIC_LAST_RUN). labels:
   the values of its labels, in the order above; NULL ends them. Any thread may call it; it takes no
   statement. */
void service_metrics_add(enum service_metric metric, gint64 more, ...) G_GNUC_NULL_TERMINATED;

/* Adds a duration to a histogram. */
void service_metrics_observe(const struct service *service, enum service_metric metric,
    const char *label, gint64 microseconds);

/* Counts a request. method and route are never freed, and always the same for one method and one
   route; one thread of a process calls it. */
void service_metrics_request(const struct service *service, const char *method, const char *route,
    guint status, gint64 microseconds);

/* Counts events of emails that are stored. A sender's domain that is not known is read later. */
void service_metrics_events(const struct store_event *events, guint count);

#define METRIC_IDENTITY_SIZE 17 /* 16 hex digits and the NUL */

/* Writes the label that stands for the identity of a relay. */
void service_metrics_identity(
    const struct config_relay *relay, char identity_r[METRIC_IDENTITY_SIZE]);

/* Notes that a relay has refused a session, at which stage (smtp/session.h), and until when it
   rests, epoch ms. */
void service_metrics_refused(const struct config_relay *relay, const char *stage, gint64 until);

/* Notes when the certificate of a relay ends, epoch ms. It is shown while the settings have this
   relay, under this name and with the same identity (config/settings_relay.h); so is a rest. */
void service_metrics_certificate(const struct config_relay *relay, gint64 end);

/* For a child process: begins with nothing counted. */
void service_metrics_forget(void);

/* Makes this process one of the workers that serve requests. */
void service_metrics_serve(void);

/* The time, in ms, until service_metrics_flush has something to do; -1: nothing. */
gint64 service_metrics_patience(void);

/* Adds what was counted to the installation's counters, if it is time; at the end of the process
   with is_last in any case. A failure keeps it for the next time. */
void service_metrics_flush(struct service *service, bool is_last);

#endif
