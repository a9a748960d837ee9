/* SPDX-License-Identifier: MIT */
/* Limits that /resend alone has. The units are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_RESEND_H
#define BASE_LIMITS_RESEND_H

#define LIMIT_RESEND_IDEMPOTENCY_KEY 256 /* under /resend */
#define LIMIT_RESEND_FROM_LENGTH 998
#define LIMIT_RESEND_SUBJECT_LENGTH 998
#define LIMIT_RESEND_TAGS 50
#define LIMIT_RESEND_LINKS 10000      /* of a broadcast's clicked links */
#define LIMIT_RESEND_DELAY_DAYS 30    /* of a step */
#define LIMIT_RESEND_EVENT_FIELDS 100 /* of a declared event */
#define LIMIT_RESEND_ATTACHMENTS 100
#define LIMIT_RESEND_IMPORT_KEYS 100 /* properties of an import */
#define LIMIT_RESEND_PARTS 100	     /* segments or topics of a request for a contact */

#endif
