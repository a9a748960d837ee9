/* SPDX-License-Identifier: MIT */
/* A served request as the log, the metrics and the list of its workspace have it. */
#ifndef FCGI_API_REQUEST_LOG_H
#define FCGI_API_REQUEST_LOG_H

#include <glib.h>
#include <stdbool.h>

struct config_log_line;
struct fcgi_call;
struct fcgi_front;
struct fcgi_request;
struct fcgi_route;

/* A request as the log and the metrics have it. */

/* Its method: HEAD too, and "other" for one that no operation has. */
const char *fcgi_request_log_method(const struct fcgi_request *request);

/* The pattern of its route, with the prefix of its front; "none" without one. The text is never
   freed, and the same for each request of the route. */
const char *fcgi_request_log_route(const struct fcgi_front *front, const struct fcgi_route *route);

/* Has a call whose reply is written kept for GET /v1/requests, as [log] requests says. begun: as
   below. */
void fcgi_request_log_keep(struct fcgi_call *call, const char *route, gint64 begun);

/* Makes the line of a call whose reply is written. route: as above. begun: on base_clock_boot_ns.
   rows: that the database has returned. False when the log does not have it; else the caller ends
   the line. */
bool fcgi_request_log_begin(const struct fcgi_call *call, const char *route, gint64 begun,
    guint64 rows, struct config_log_line *line);

#endif
