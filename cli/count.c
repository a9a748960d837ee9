/* SPDX-License-Identifier: MIT */
/* Says how many. */
#include "cli/count.h"

char *
cli_count(guint64 count, const char *one, const char *many)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " %s", count, count == 1 ? one : many);
}
