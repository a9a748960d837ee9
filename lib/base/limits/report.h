/* SPDX-License-Identifier: MIT */
/* Limits of delivery reports, requests of providers, and suppressions. The units are those of
 * base/limits/unit.h. */
#ifndef BASE_LIMITS_REPORT_H
#define BASE_LIMITS_REPORT_H

/* The part of a report that is read; the relevant fields are at its beginning. */
#define LIMIT_REPORT_BYTES (256 * 1024)
#define LIMIT_REPORT_RECIPIENTS 200
#define LIMIT_REPORT_NAMES 16 /* Message-IDs, and likewise return paths, in one report */
#define LIMIT_REPORT_DIAGNOSTIC_LENGTH 600
#define LIMIT_REPORTS 1000     /* recorded reports on one email */
#define LIMIT_FIELD_BYTES 4096 /* of one header field, unfolded */
#define LIMIT_PARTS 64
#define LIMIT_PART_DEPTH 8
#define LIMIT_SUPPRESSION_BATCH 100	       /* of one request */
#define LIMIT_PROVIDER_BYTES (4 * 1024 * 1024) /* of a request in which a provider reports */
#define LIMIT_PROVIDER_SECRET_BYTES 4096       /* given for such requests */
#define LIMIT_PROVIDER_CERTIFICATE_MS (24LL * 60 * 60 * 1000) /* a certificate is kept */
#define LIMIT_PROVIDER_EVENT_MS (30LL * 24 * 60 * 60 * 1000)  /* a repeated event is known */

#endif
