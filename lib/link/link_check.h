/* SPDX-License-Identifier: MIT */
/* Asks whether links answer, only on the public internet. */
#ifndef LINK_CHECK_H
#define LINK_CHECK_H

#include <glib.h>

struct base_id;
struct service;

/* Asks for each URL (char *), for at most LIMIT_FETCH_MS in all. The result is an array of char *
   in their order: why it does not answer, NULL where it does. LIMITED when [limits]
   fetching_requests of the workspace fetch on this host already; FAILED of fetch_get. The caller
   frees it. */
GPtrArray *link_check(struct service *service, const struct base_id *workspace,
    const GPtrArray *urls, GError **error);

#endif
