/* SPDX-License-Identifier: MIT */
/* Opens and clicks. */
#ifndef LINK_ENGAGEMENT_H
#define LINK_ENGAGEMENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "link/token.h"

struct service;

/* One open or click: the pixel of a message was fetched, or one of its links followed. */
struct link_engagement {
	struct link_token token; /* of the kind TOKEN_OPEN or TOKEN_CLICK */
	gint64 time;		 /* epoch ms */
	char *ip;		 /* in its normal form; NULL: not known */
	char *user_agent;	 /* "": none */
	char *link;		 /* the destination of a click */
	bool automated;		 /* by its User-Agent, or as the caller knows otherwise */
};

/* Makes of a User-Agent (NULL: none) a text that can be stored and shown: at most
   LIMIT_USER_AGENT_LENGTH characters, without controls. The caller owns it. */
char *link_engagement_agent(const char *user_agent);

/* An engagement at time, epoch ms. The texts are copied, of user_agent at most
   LIMIT_USER_AGENT_LENGTH characters, without controls; NULL where they are not known or do not
   apply. The caller frees it. */
struct link_engagement *link_engagement_new(const struct link_token *token, gint64 time,
    const char *ip, const char *user_agent, const char *link);
void link_engagement_free(struct link_engagement *engagement);
DEFINE_AUTO(link_engagement, link_engagement_free)

/* Records opens and clicks in one transaction, each as an event; a recipient has at most
   LIMIT_ENGAGEMENTS. Leaves out those of an email that was removed. Sorts the array. Errors of
   db/transaction.h.

   An event is marked as automated when a program made it (link/robot.h), or when it belongs to a
   sweep: a program follows every link of a message right after the delivery. It is a sweep when the
   message has at least two different links, and each of them, this click included, was followed
   within ENGAGEMENT_SWEEP_MS of the delivery. The earlier opens and clicks of that time are then
   marked too. The delivery is the latest sent or delivered event; until one of these is recorded,
   every engagement counts as within that time. Workflows are not notified of automated events; of
   one that may yet be part of a sweep they are notified when that is decided. */
#define ENGAGEMENT_SWEEP_MS 2000
bool link_engagement_record(
    struct service *service, struct link_engagement **engagements, guint count, GError **error);

/* Has an engagement recorded together with others, a second later at most; the service owns it from
   now on. A process that is killed loses those that wait. */
void link_engagement_add(struct service *service, struct link_engagement *engagement);

/* The time that the engagements may still wait, in ms; -1 when none waits. Another request may come
   meanwhile, and bring more. */
gint64 link_engagement_patience(const struct service *service);

/* Records all that wait. Nobody waits for the result, so a failure is only logged. */
void link_engagement_flush(struct service *service);

#endif
