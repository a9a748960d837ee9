/* SPDX-License-Identifier: MIT */
/* Broadcasts that pause by themselves, because too many of their messages bounce, or are complained
   about; and the warning of those whose messages get a footer with the link to unsubscribe. */
#ifndef FEEDBACK_BROADCAST_HEALTH_H
#define FEEDBACK_BROADCAST_HEALTH_H

struct service;

/* Looks at the broadcasts that service->watched names (email/watched.h), and forgets them; and
   warns of those in service->lacking, once each. An error is left to the next look. */
void feedback_broadcast_health(struct service *service);

#endif
