/* SPDX-License-Identifier: MIT */
/* Processes that act at the same time as the test, each with its own connection and clock. */
#ifndef TESTS_AUTOMATION_RACES_H
#define TESTS_AUTOMATION_RACES_H

#include <glib.h>

struct fixture;

/* Starts a process that calls act on the same installation, minutes after FIXTURE_START. */
GPid race_start(const struct fixture *fixture, gint64 minutes,
    void (*act)(struct fixture *fixture, const void *data), const void *data);

/* Waits until count processes wait for locks. */
void race_wait_blocked(struct fixture *fixture, guint count);

/* Waits until a process has ended, which must have succeeded. */
void race_join(GPid pid);

#endif
