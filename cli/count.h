/* SPDX-License-Identifier: MIT */
#ifndef CLI_COUNT_H
#define CLI_COUNT_H

#include <glib.h>

/* So many of something, in words: "1 line", "0 lines". The caller owns it. */
char *cli_count(guint64 count, const char *one, const char *many);

#endif
