/* SPDX-License-Identifier: MIT */
/* What we want to know of an answer's headers. */
#ifndef FETCH_HEADERS_H
#define FETCH_HEADERS_H

#include <glib.h>

/* One that is zeroed is empty. */
struct fetch_headers {
	char *location; /* NULL where there is none */
	char *coding;	/* the first coding that changes the bytes of the body, NULL if none does */
	guint64 length; /* as announced, 0 where it is not */
};

/* Takes a line of them, which need not end in a NUL; lines of other headers change nothing. */
void fetch_headers_note(struct fetch_headers *headers, const char *line, gsize size);

/* Frees what it holds and leaves it empty. */
void fetch_headers_clear(struct fetch_headers *headers);

#endif
