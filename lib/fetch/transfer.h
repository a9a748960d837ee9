/* SPDX-License-Identifier: MIT */
/* One HTTP request and its answer. */
#ifndef FETCH_TRANSFER_H
#define FETCH_TRANSFER_H

#include <glib.h>
#include <stdbool.h>

#include "fetch/address_policy.h"

/* The headers of an answer that matter to us; zeroed when there are none. */
struct fetch_headers {
	char *location; /* NULL if there is none */
	char *coding;	/* the first coding that changes the body, NULL if there is none */
	guint64 length; /* as announced; 0 if it is not */
};

/* Reads a header line, which need not end with NUL. Other headers are ignored. */
void fetch_headers_note(struct fetch_headers *headers, const char *line, gsize size);

/* Frees the members and zeroes headers. */
void fetch_headers_clear(struct fetch_headers *headers);

/* The limits for all transfers of one fetch, as for fetch_get. */
struct fetch_limits {
	const struct fetch_rules *rules;
	gsize max_bytes;
	gint64 started, deadline; /* on base_clock_boot() */
	const char *tls_ca;	  /* file of trusted certificates; NULL: the system's */
};

/* Sends a GET for a URL that fetch_url_parse or fetch_url_resolve returned. On success *body_r is
   the body of an answer 200, or *location_r is the target of a redirect as the server wrote it; the
   other one is NULL, and the caller owns the result. Returns false with both NULL and errors as of
   fetch_get; NOT_FOUND with the same phrase where the server answers 404 or 410. */
bool fetch_transfer_run(const char *url, const struct fetch_limits *limits, GBytes **body_r,
    char **location_r, GError **error);

#endif
