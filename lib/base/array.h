/* SPDX-License-Identifier: MIT */
/* Sorts, searches, clears and copies arrays that may have no elements. The C library allows no null
   pointer there (C11 7.22.5, 7.24.1), and an array of no elements is often NULL. Here it may be. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <glib.h>
#include <stdlib.h>
#include <string.h>

/* As qsort(3). */
static inline void
base_array_sort(void *first, gsize count, gsize size, GCompareFunc compare)
{
	if (count > 1)
		qsort(first, count, size, compare);
}

/* As bsearch(3). */
static inline void *
base_array_find(const void *key, const void *first, gsize count, gsize size, GCompareFunc compare)
{
	return count > 0 ? bsearch(key, first, count, size, compare) : NULL;
}

/* Makes every byte of the elements 0. */
static inline void
base_array_clear(void *first, gsize count, gsize size)
{
	if (count > 0)
		memset(first, 0, count * size);
}

/* Copies elements to a place that they do not overlap. */
static inline void
base_array_copy(void *to, const void *from, gsize count, gsize size)
{
	if (count > 0)
		memcpy(to, from, count * size);
}

#endif
