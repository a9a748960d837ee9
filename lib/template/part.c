/* SPDX-License-Identifier: MIT */
/* Puts templates that include others into one source, and takes it apart. */
#include "template/part.h"

#include <string.h>

bool
template_part_next(const char **p, const char *end, struct template_part *part_r)
{
	const char *id = *p + 1, *source = *p < end && !**p ? memchr(id, '\0', end - id) : NULL;

	if (*p == end)
		return false;
	*part_r = (struct template_part){"", *p, end};
	if (source) {
		const char *next = memchr(source + 1, '\0', end - (source + 1));
		*part_r = (struct template_part){id, source + 1, next ? next : end};
	}
	*p = part_r->end;
	return true;
}

void
template_join(GString *joined, const char *id, const char *source, gsize size)
{
	g_string_append_c(joined, '\0');
	g_string_append_len(joined, id, strlen(id) + 1);
	g_string_append_len(joined, source, size);
}
