/* SPDX-License-Identifier: MIT */
/* Limits of webhooks. The units are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_WEBHOOK_H
#define BASE_LIMITS_WEBHOOK_H

#define LIMIT_WEBHOOK_URL_BYTES 2048
#define LIMIT_WEBHOOK_DESCRIPTION_LENGTH 200
#define LIMIT_WEBHOOK_SECRET_MS (24LL * 60 * 60 * 1000) /* a replaced secret signs too */
#define LIMIT_REPLAY 10000				/* deliveries that one request repeats */
#define LIMIT_DELIVERY_ATTEMPTS 100	     /* of each delivery in an answer: the newest */
#define LIMIT_WEBHOOK_MS 10000		     /* for one attempt */
#define LIMIT_WEBHOOK_ANSWER_BYTES 1024	     /* kept of the body of an answer */
#define LIMIT_WEBHOOK_BODY_BYTES (64 * 1024) /* read of it */
#define LIMIT_WEBHOOK_BATCH 100		     /* events in one request */
#define LIMIT_WEBHOOKS 50		     /* default of [limits] webhooks */

#endif
