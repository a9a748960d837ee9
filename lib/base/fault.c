/* SPDX-License-Identifier: MIT */
/* Implements the crash points of test builds. */
#include "base/fault.h"

#ifdef ENABLE_FAULTS

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <glib.h>

void
base_fault(const char *name)
{
	static gint seen;
	const char *wanted = getenv("POSTHOUSE_FAULT");
	const char *colon = wanted ? strrchr(wanted, ':') : NULL;

	if (!colon)
		return;
	if (wanted[0] != '*' &&
	    (strlen(name) != (size_t)(colon - wanted) || strncmp(wanted, name, strlen(name)) != 0))
		return;
	if (g_atomic_int_add(&seen, 1) + 1 == atoi(colon + 1))
		raise(SIGKILL);
}

void
base_fault_at(const char *name, const char *subject)
{
	const char *wanted = getenv("POSTHOUSE_FAULT");
	gsize size = strlen(name);

	if (!wanted || strncmp(wanted, name, size) != 0 || wanted[size] == '\0' ||
	    g_strcmp0(wanted + size + 1, subject) != 0)
		return;
	if (wanted[size] == '=')
		raise(SIGKILL);
	while (wanted[size] == '>')
		(void)!g_malloc(1 << 20);
	while (wanted[size] == '~')
		__asm__ volatile("");
}

#else

/* A source file must declare something (C11 section 6.9). */
typedef int base_fault_is_off;

#endif
