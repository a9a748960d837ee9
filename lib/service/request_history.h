/* SPDX-License-Identifier: MIT */
/* Requests that are to be stored for their workspaces (store/workspace/request_history.h): after
   their replies, many in one statement. */
#ifndef SERVICE_REQUEST_HISTORY_H
#define SERVICE_REQUEST_HISTORY_H

#include <glib.h>

struct service;
struct store_request_history;

/* Has a request stored a second later at most; the service owns it from now on. A workspace that
   has LIMIT_CALLS_WAITING waiting gets no more in that time, and a process that is killed loses
   those that wait. */
void service_request_history_add(struct service *service, struct store_request_history *call);

/* The time that they may still wait, in ms; -1 when none waits. */
gint64 service_request_history_patience(const struct service *service);

/* Stores all that wait, and removes some of those that are too many. Nobody waits for the result,
   so a failure is only logged. */
void service_request_history_flush(struct service *service);

#endif
