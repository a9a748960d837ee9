/* SPDX-License-Identifier: MIT */
/* The length of tests by chance. */
#ifndef SUPPORT_STEPS_H
#define SUPPORT_STEPS_H

#include <glib.h>

/* How many steps or rounds a test by chance makes: so many as usual, or POSTHOUSE_STEPS. */
static inline guint
test_steps(guint usual)
{
	const char *given = g_getenv("POSTHOUSE_STEPS");

	return given ? (guint)g_ascii_strtoull(given, NULL, 10) : usual;
}

#endif
