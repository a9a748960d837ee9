/* SPDX-License-Identifier: MIT */
/* Limits of received mail. The units are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_RECEIVED_H
#define BASE_LIMITS_RECEIVED_H

#include "base/limits/unit.h"

#define LIMIT_RECEIVED_ROUTES 100  /* of a domain */
#define LIMIT_RECEIVED_FORWARDS 10 /* addresses of a route, or of a request to forward */
#define LIMIT_RECEIVED_REASON 200  /* bytes of the reason for which a route refuses */
#define LIMIT_RECEIVED_MATCH 64	   /* bytes of a local part (RFC 5321 section 4.5.3.1.1) */
#define LIMIT_RECEIVED_BYTES (40 * LIMIT_MIB)
#define LIMIT_RECEIVED_HOPS 50 /* fields Received of a message */
#define LIMIT_RECEIVED_HEADER_BYTES (256 * 1024)
#define LIMIT_RECEIVED_HEADERS 200	    /* fields that are shown */
#define LIMIT_RECEIVED_TEXT_BYTES LIMIT_MIB /* of text and of html that are shown */
#define LIMIT_RECEIVED_PARSE_MS 10000	    /* elapsed time of the child that parses */
#define LIMIT_RECEIVED_PARSE_BYTES (256L * LIMIT_MIB)
#define LIMIT_RECEIVED_KEPT_BYTES LIMIT_MIB /* of a message that a child reads among others */
#define LIMIT_RECEIVED_SIGNATURES 5	    /* DKIM signatures of a message that are verified */
#define LIMIT_RECEIVED_WALKS 2	   /* of them, for whose domains DNS is asked up the tree */
#define LIMIT_RECEIVED_DNS_MS 5000 /* for their keys */
#define LIMIT_RECEIVED_KNOWN_MS (7LL * 24 * 60 * 60 * 1000) /* a repeated message is known */
#define LIMIT_RECEIVED_DOWNLOAD_MS (60LL * 60 * 1000)	    /* a download_url is good */
#define LIMIT_RECEIVED_REPLIES 100			    /* events "replied" of a recipient */
#define LIMIT_RECEIVED_PICTURES (10 * LIMIT_MIB)	    /* that html has as data URLs, in all */

#endif
