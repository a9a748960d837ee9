/* SPDX-License-Identifier: MIT */
/* Broadcasts that pause by themselves, because too many of their messages bounce, or are complained
   about; and the warning of those whose messages get a footer with the link to unsubscribe. */
#ifndef FEEDBACK_BROADCAST_HEALTH_H
#define FEEDBACK_BROADCAST_HEALTH_H

struct service;
struct email_watch;

/* Looks at the broadcasts that have new results (email/watched.h), and warns of those whose
   messages lacked a link, once each. A broadcast that an error kept from being warned of is warned
   of at the next look; other errors are left to the next results. */
void feedback_broadcast_health(struct service *service, const struct email_watch *watch);

#endif
