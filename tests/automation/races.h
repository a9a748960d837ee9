/* SPDX-License-Identifier: MIT */
/* Others who do something at the same time: processes of their own, with a connection and a clock
   of their own. */
#ifndef TESTS_AUTOMATION_RACES_H
#define TESTS_AUTOMATION_RACES_H

#include <glib.h>

struct stage;

/* Starts a process that does it on the same installation, minutes after STAGE_START. */
GPid race_start(const struct stage *stage, gint64 minutes,
    void (*act)(struct stage *stage, const void *data), const void *data);

/* Waits until so many of them wait for locks. */
void race_wait_blocked(struct stage *stage, guint count);

/* Waits until it has ended, which must have gone well. */
void race_join(GPid pid);

#endif
