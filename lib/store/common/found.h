/* SPDX-License-Identifier: MIT */
/* The outcome of a look-up for which "not found" is an answer. */
#ifndef STORE_COMMON_FOUND_H
#define STORE_COMMON_FOUND_H

#include <glib.h>
#include <stdbool.h>

/* Takes over the failure of a look-up; NULL: it found something. *is_there_r (NULL: not asked) is
   false for NOT_FOUND. Any other failure is passed on, and this function returns false. */
bool store_found(GError *failure, bool *is_there_r, GError **error);

#endif
