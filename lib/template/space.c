/* SPDX-License-Identifier: MIT */
/* Finds the white space around tags. */
#include "template/space.h"

#include <glib.h>
#include <string.h>

/* The white space of JavaScript beyond ASCII, in UTF-8. */
static const char *const wide[] = {"\302\240", "\341\232\200", "\342\200\200", "\342\200\201",
    "\342\200\202", "\342\200\203", "\342\200\204", "\342\200\205", "\342\200\206", "\342\200\207",
    "\342\200\210", "\342\200\211", "\342\200\212", "\342\200\250", "\342\200\251", "\342\200\257",
    "\342\201\237", "\343\200\200", "\357\273\277"};

static bool
space_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The size of the white space character at p; 0: it is none. */
static gsize
space_at(const char *p, const char *end)
{
	if (p < end && space_is_space(*p))
		return 1;
	for (gsize i = 0; p < end && (*p & 0x80) && i < G_N_ELEMENTS(wide); i++) {
		gsize size = strlen(wide[i]);
		if ((gsize)(end - p) >= size && memcmp(p, wide[i], size) == 0)
			return size;
	}
	return 0;
}

/* The size of the white space character in front of p. */
static gsize
before(const char *p, const char *start)
{
	if (p > start && space_is_space(p[-1]))
		return 1;
	for (gsize i = 0; p > start && (p[-1] & 0x80) && i < G_N_ELEMENTS(wide); i++) {
		gsize size = strlen(wide[i]);
		if ((gsize)(p - start) >= size && memcmp(p - size, wide[i], size) == 0)
			return size;
	}
	return 0;
}

bool
template_space_before(const char **p, const char *start)
{
	gsize size;

	while ((size = before(*p, start))) {
		*p -= size;
		if (**p == '\n')
			return true;
	}
	return *p == start;
}

bool
template_space_behind(const char **p, const char *end)
{
	gsize size;

	for (; (size = space_at(*p, end)); *p += size)
		if (**p == '\n')
			return true;
	return *p == end;
}

const char *
template_space_cut_before(const char *p, const char *start, enum template_space space)
{
	gsize size;

	while (space == SPACE_LINE && p > start && (p[-1] == ' ' || p[-1] == '\t'))
		p--;
	while (space == SPACE_ALL && (size = before(p, start)))
		p -= size;
	return p;
}

const char *
template_space_cut_behind(const char *p, const char *end, enum template_space space)
{
	gsize size;

	while (space == SPACE_LINE && p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (space == SPACE_LINE && p < end && *p == '\r')
		p++;
	if (space == SPACE_LINE)
		return p + (p < end && *p == '\n');
	while (space == SPACE_ALL && (size = space_at(p, end)))
		p += size;
	return p;
}
