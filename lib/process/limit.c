/* SPDX-License-Identifier: MIT */
/* Limits what a child process may take. */
#include "process/limit.h"

#include <sys/resource.h>
#include <unistd.h>

static void
limit_set(int resource, rlim_t limit)
{
	struct rlimit now;

	getrlimit(resource, &now);
	/* The soft limit comes first: its signal, SIGXCPU, names the limit. */
	now.rlim_max = MIN(now.rlim_max, limit + (resource == RLIMIT_CPU ? 1 : 0));
	now.rlim_cur = MIN(now.rlim_max, limit);
	setrlimit(resource, &now);
}

/* The size of this process's address space, in bytes. */
static rlim_t
limit_own_bytes(void)
{
	g_autofree char *text = NULL;

	if (!g_file_get_contents("/proc/self/statm", &text, NULL, NULL))
		return 0;
	return g_ascii_strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

void
process_limit(guint cpu_s, gsize bytes)
{
	limit_set(RLIMIT_CORE, 0);
	if (cpu_s > 0)
		limit_set(RLIMIT_CPU, cpu_s);
	limit_set(RLIMIT_AS, limit_own_bytes() + bytes);
}
