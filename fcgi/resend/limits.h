/* SPDX-License-Identifier: MIT */
/* Limits that this front alone has. The units are those of base/limits/unit.h. */
#ifndef FCGI_RESEND_LIMITS_H
#define FCGI_RESEND_LIMITS_H

#include "base/limits/broadcast.h"

#define LIMIT_RESEND_PAGE 100
#define LIMIT_RESEND_IDEMPOTENCY_KEY 256
#define LIMIT_RESEND_FROM_LENGTH LIMIT_STORED_FROM_LENGTH
#define LIMIT_RESEND_SUBJECT_LENGTH LIMIT_STORED_SUBJECT_LENGTH
#define LIMIT_RESEND_TAGS 50
#define LIMIT_RESEND_LINKS 10000      /* of a broadcast's clicked links */
#define LIMIT_RESEND_DELAY_DAYS 30    /* of a step */
#define LIMIT_RESEND_EVENT_FIELDS 100 /* of a declared event */
#define LIMIT_RESEND_ATTACHMENTS 100
#define LIMIT_RESEND_IMPORT_KEYS 100 /* properties of an import */
#define LIMIT_RESEND_PARTS 100	     /* segments or topics of a request for a contact */

#endif
