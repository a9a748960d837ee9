/* SPDX-License-Identifier: MIT */
/* One request and its answer. */
#ifndef FETCH_TRANSFER_H
#define FETCH_TRANSFER_H

#include <glib.h>
#include <stdbool.h>

#include "fetch/guard.h"

/* What bounds all the transfers of one fetch; as for fetch_get. */
struct fetch_bounds {
	const struct fetch_rules *rules;
	gsize max_bytes;
	gint64 started, deadline; /* on base_clock_boot() */
	const char *tls_ca;	  /* file of certificates to trust; NULL: the system's */
};

/* GETs a URL that fetch_url_parse or fetch_url_resolve made. True: either *body_r is the body of an
   answer 200, or *location_r is where a redirect leads, as the server wrote it; the caller owns it,
   the other is NULL. False: errors as of fetch_get, and both are NULL. */
bool fetch_transfer_run(const char *url, const struct fetch_bounds *bounds, GBytes **body_r,
    char **location_r, GError **error);

#endif
