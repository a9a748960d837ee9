/* SPDX-License-Identifier: MIT */
/* Limits of domains, relays, routes and their pace. The units are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_DOMAIN_H
#define BASE_LIMITS_DOMAIN_H

#define LIMIT_WORKSPACE_NAME_MS (365LL * 24 * 60 * 60 * 1000) /* a name that is left stays */
#define LIMIT_DOMAIN_MIN_LENGTH 4
#define LIMIT_RELAY_NAME_LENGTH 32	  /* of [relay NAME] */
#define LIMIT_WARMUP_RECIPIENTS 100000000 /* a number of [warmup] limits */
#define LIMIT_PACE_RATE 100000		  /* of [pace DOMAIN] rate */
#define LIMIT_ROUTE_LENGTH 2000 /* the names of its relays, with a blank between each two */
#define LIMIT_DOMAIN_LENGTH 253
#define LIMIT_SENDER_DOMAIN_LENGTH 192 /* leaves room for names below it: see core/register.c */
#define LIMIT_LABEL_LENGTH 63
#define LIMIT_PROOF_LENGTH 64	/* of the text of a question to a tracking host */
#define LIMIT_TRACKING_MS 10000 /* for the answer of a tracking host */

#endif
