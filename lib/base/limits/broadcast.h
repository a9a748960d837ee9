/* SPDX-License-Identifier: MIT */
/* Limits of broadcasts. The units are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_BROADCAST_H
#define BASE_LIMITS_BROADCAST_H

#include "base/limits/unit.h"

#define LIMIT_BROADCAST_AHEAD_MS (400LL * 24 * 60 * 60 * 1000)
#define LIMIT_BROADCAST_PAST_MS (5LL * 60 * 1000) /* scheduled_at is no longer ago */
#define LIMIT_BROADCAST_SPREAD_MS (7LL * 24 * 60 * 60 * 1000)
#define LIMIT_BROADCAST_DECIDE_MS (7LL * 24 * 60 * 60 * 1000)
#define LIMIT_BROADCAST_DECIDE_LEAST_MS (60LL * 60 * 1000)
#define LIMIT_BROADCAST_NAME_LENGTH 100
#define LIMIT_BROADCAST_TESTERS 10
#define LIMIT_BROADCAST_SAMPLE 10000		/* people looked at by a check */
#define LIMIT_BROADCAST_LINKS 100		/* links asked by a check */
#define LIMIT_BROADCAST_SIZE_BYTES (102 * 1024) /* of html; Gmail cuts off the rest */
#define LIMIT_BROADCAST_ATTACHMENTS_BYTES (10 * LIMIT_MIB)
#define LIMIT_BROADCAST_MESSAGE_BYTES 10240000 /* many servers, such as Postfix, take no more */
#define LIMIT_BROADCAST_SAMPLE_NS (2 * 1000000000LL) /* to fill the sample of a check */
#define LIMIT_BROADCAST_LISTS 100		     /* audiences and segments, together */

/* The most that any front takes, as it is stored. */
#define LIMIT_STORED_FROM_LENGTH 998
#define LIMIT_STORED_SUBJECT_LENGTH 998

#endif
