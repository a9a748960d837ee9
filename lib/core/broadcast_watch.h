/* SPDX-License-Identifier: MIT */
/* Broadcasts that pause by themselves, because too many of their messages bounce, or are complained
   about; and the warning of those whose messages get a footer with the link to unsubscribe. */
#ifndef CORE_BROADCAST_WATCH_H
#define CORE_BROADCAST_WATCH_H

struct core;

/* Looks at the broadcasts that core->watched names (core/watched.h), and forgets them; and warns of
   those in core->lacking, once each. An error is left to the next look. */
void core_broadcast_watch(struct core *core);

#endif
