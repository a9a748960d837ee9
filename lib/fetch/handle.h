/* SPDX-License-Identifier: MIT */
/* A curl handle that can do one thing. */
#ifndef FETCH_HANDLE_H
#define FETCH_HANDLE_H

#include <glib.h>

#include "fetch/curl.h"

/* A handle that GETs over HTTP/1 or TLS 1.2 and later, follows no redirect, and takes nothing from
   the environment. Loads libcurl where that has not been done. The caller frees it; never
   NULL. */
CURL *fetch_handle_new(void);
void fetch_handle_free(CURL *handle);

/* CURL is void, so g_autoptr(CURL) is what says whose pointer it is. */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CURL, fetch_handle_free)

#endif
