/* SPDX-License-Identifier: MIT */
/* Processes that act at the same time as the test, each with its own connection and clock. */
#ifndef TESTS_AUTOMATION_RACES_H
#define TESTS_AUTOMATION_RACES_H

#include <glib.h>

struct stage;

/* Starts a process that calls act on the same installation, minutes after STAGE_START. */
GPid race_start(const struct stage *stage, gint64 minutes,
    void (*act)(struct stage *stage, const void *data), const void *data);

/* Waits until count processes wait for locks. */
void race_wait_blocked(struct stage *stage, guint count);

/* Waits until a process has ended, which must have succeeded. */
void race_join(GPid pid);

#endif
