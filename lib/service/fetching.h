/* SPDX-License-Identifier: MIT */
/* The number of a workspace's requests that fetch files at once. */
#ifndef SERVICE_FETCHING_H
#define SERVICE_FETCHING_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct service;

/* Takes one of the workspace's slots for requests that fetch, which all processes of a host share:
   a server that does not answer keeps a process for LIMIT_FETCH_MS, and one workspace is not to
   keep all of them. A slot is a lock on one byte of a file in the spool directory; the bytes of two
   workspaces are the same by a chance of 1 to 2^40. *slot_r is the file's descriptor, for
   service_fetching_end; -1 without a limit, or when the directory cannot be written. LIMITED when
   all are taken. */
bool service_fetching_begin(
    struct service *service, const struct base_id *workspace, int *slot_r, GError **error);
void service_fetching_end(int slot);

#endif
