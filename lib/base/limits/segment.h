/* SPDX-License-Identifier: MIT */
/* Limits of segments. The units are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_SEGMENT_H
#define BASE_LIMITS_SEGMENT_H

#define LIMIT_SEGMENT_RULES 100	    /* single rules of a segment */
#define LIMIT_SEGMENT_LEVELS 8	    /* of rules in rules, the outermost ones included */
#define LIMIT_SEGMENT_BYTES 65536   /* of the JSON text of the rules */
#define LIMIT_SEGMENT_DAYS 730	    /* within_days */
#define LIMIT_SEGMENT_AT_LEAST 1000 /* events */
#define LIMIT_SEGMENT_PREVIEW 10    /* people that a preview shows */

#endif
