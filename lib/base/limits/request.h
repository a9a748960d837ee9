/* SPDX-License-Identifier: MIT */
/* Limits of requests, their bodies, keys and logs. The units are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_REQUEST_H
#define BASE_LIMITS_REQUEST_H

#include "base/limits/unit.h"

#define LIMIT_REQUEST_BYTES (128 * LIMIT_MIB) /* default of [limits] request_bytes */
#define LIMIT_PATH_BYTES 2048
#define LIMIT_QUERY_BYTES 8192
#define LIMIT_REQUEST_ID_LENGTH 128 /* of the header X-Request-Id */
#define LIMIT_FORM_BYTES (64 * 1024)
#define LIMIT_PUBLIC_BYTES (4 * 1024) /* of a JSON body that needs no key */
#define LIMIT_LARGE_WAIT_MS 5000      /* wait for other large requests to end */
/* Requests that take more processor time than LIMIT_HEAVY_NS each. A workspace takes turns with
   them once they have taken LIMIT_HEAVY_BURST_NS, and 1/LIMIT_HEAVY_SHARE of a processor since. */
#define LIMIT_HEAVY_NS 5000000LL
#define LIMIT_HEAVY_BURST_NS 200000000LL
#define LIMIT_HEAVY_SHARE 10
#define LIMIT_HEAVY_SLOT_MS 1000 /* wait for slots that other workspaces hold */
#define LIMIT_HEAVY_PARKED 32 /* requests that wait in one process, half of them of a workspace */
#define LIMIT_JSON_DEPTH 32
#define LIMIT_JSON_VALUES 1000000 /* strings, numbers, arrays and so on in one body */
#define LIMIT_IGNORED_MEMBERS 20  /* members in the header Ignored-Members */
#define LIMIT_IGNORED_BYTES 64	  /* of each member in it */
#define LIMIT_IDEMPOTENCY_KEY_LENGTH 255
#define LIMIT_LOG_MS (30LL * 24 * 60 * 60 * 1000) /* kept */
#define LIMIT_LOG_BODY_BYTES (64 * 1024)
#define LIMIT_LOG_USER_AGENT 512		   /* characters; the rest is cut off */
#define LIMIT_CALLS 10000			   /* of a workspace */
#define LIMIT_CALLS_MS (7LL * 24 * 60 * 60 * 1000) /* kept */
#define LIMIT_CALLS_WAITING 100			   /* of a workspace in a second and a process */
#define LIMIT_CALL_MESSAGE 300			   /* characters; the rest is cut off */
#define LIMIT_DOWNLOAD_MS (60LL * 60 * 1000) /* the URL of an attachment works for this long */
#define LIMIT_SYNC_ATTEMPT_MS 15000
#define LIMIT_IDEMPOTENCY_WAIT_S 5
#define LIMIT_IDEMPOTENCY_MS (24LL * 60 * 60 * 1000)

#endif
