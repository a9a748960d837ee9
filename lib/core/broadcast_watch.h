/* SPDX-License-Identifier: MIT */
/* Broadcasts that pause by themselves, because too many of their messages bounce, or are complained
   about. */
#ifndef CORE_BROADCAST_WATCH_H
#define CORE_BROADCAST_WATCH_H

struct core;

/* Looks at the broadcasts that core->watched names (core/watched.h), and forgets them. An error is
   left to the next look. */
void core_broadcast_watch(struct core *core);

#endif
