/* Crash points of test builds. */
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

#else

/* A file must hold something (C11 section 6.9). */
typedef int base_fault_is_off;

#endif
