/* SPDX-License-Identifier: MIT */
/* Limits of emails: their fields, parts, times and events. The units are those of
 * base/limits/unit.h. */
#ifndef BASE_LIMITS_EMAIL_H
#define BASE_LIMITS_EMAIL_H

#include "base/limits/unit.h"

#define LIMIT_FROM_LENGTH 100
#define LIMIT_SUBJECT_LENGTH 100
#define LIMIT_RECIPIENTS 50		     /* in each of to, cc, bcc and reply_to */
#define LIMIT_ADDRESS_LIST_BYTES (64 * 1024) /* of each such field, its texts joined by ", " */
#define LIMIT_HTML_BYTES (40 * LIMIT_MIB)
#define LIMIT_TEXT_BYTES (10 * LIMIT_MIB)
#define LIMIT_OWN_CONTENT_BYTES (64 * 1024) /* of html, and of text, stored beside its email */
#define LIMIT_TIME_ZONE_BYTES 64
#define LIMIT_ATTACHMENTS 10
#define LIMIT_ATTACHMENTS_BYTES (40 * LIMIT_MIB)
#define LIMIT_PREVIEW_LENGTH 200 /* of the text that mail programs show beside the subject */
#define LIMIT_FILENAME_LENGTH 255
#define LIMIT_CONTENT_TYPE_LENGTH 127
#define LIMIT_CONTENT_ID_LENGTH 128
#define LIMIT_URL_LENGTH 2048
#define LIMIT_HEADERS 25 /* names, and fields of all of them */
#define LIMIT_HEADER_NAME_LENGTH 76
#define LIMIT_HEADER_VALUE_LENGTH 998
#define LIMIT_TAGS 10
#define LIMIT_TAG_LENGTH 256
#define LIMIT_TAG_VALUES 200	    /* of a name that have figures of their own */
#define LIMIT_LINK_BYTES 2048	    /* of a tracked link: in the mail, and of its destination */
#define LIMIT_USER_AGENT_LENGTH 512 /* of the stored part */
#define LIMIT_ENGAGEMENTS 1000	    /* recorded opens and clicks of a recipient */
#define LIMIT_RECIPIENT_EVENTS 100  /* events of each recipient in the details of an email */
#define LIMIT_BATCH 100		    /* emails in a batch */
#define LIMIT_BATCH_BYTES (10 * LIMIT_MIB) /* of the request */
#define LIMIT_SCHEDULE_MS (30LL * 24 * 60 * 60 * 1000)
#define LIMIT_MOMENT_BYTES 100		 /* of a time as people write it: "tomorrow at 9am" */
#define LIMIT_RAW_BYTES (40 * LIMIT_MIB) /* of a message that sendmail takes */
#define LIMIT_ADDRESS_BYTES 254
#define LIMIT_LOCAL_PART_BYTES 64
#define LIMIT_ADDRESS_NAME_LENGTH 256 /* the name beside an address in a list */
#define LIMIT_SENDER_NAME_LENGTH 998

#endif
