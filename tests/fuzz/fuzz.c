/* SPDX-License-Identifier: MIT */
/* The common parts of the fuzz targets. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

char *
fuzz_text(const guint8 *data, gsize size)
{
	gsize length = strnlen((const char *)data, size);

	return g_utf8_make_valid((const char *)data, (gssize)length);
}

void
fuzz_check_error(GError *error)
{
	g_assert(error);
	g_assert(g_utf8_validate(error->message, -1, NULL));
	g_assert(!strpbrk(error->message, "\r\n"));
	g_error_free(error);
}
