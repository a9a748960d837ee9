/* SPDX-License-Identifier: MIT */
/* Limits of reports about a domain: of DMARC and of TLS. The units are those of
   base/limits/unit.h. */
#ifndef BASE_LIMITS_DOMAIN_REPORT_H
#define BASE_LIMITS_DOMAIN_REPORT_H

#include "base/limits/unit.h"

#define LIMIT_DOMAIN_REPORT_PACKED (10 * LIMIT_MIB)   /* bytes of a gzip or zip file */
#define LIMIT_DOMAIN_REPORT_UNPACKED (50 * LIMIT_MIB) /* bytes of XML or JSON */
#define LIMIT_DOMAIN_REPORT_FILE (72 * LIMIT_MIB)     /* bytes of a file that "dmarc parse" reads */
#define LIMIT_DOMAIN_REPORT_RECORDS 20000	      /* and failures of a report about TLS */
#define LIMIT_DOMAIN_REPORT_RESULTS 100		      /* of DKIM, and of SPF, that a record keeps */
#define LIMIT_DOMAIN_REPORT_DEPTH 16		     /* elements in each other that are looked at */
#define LIMIT_DOMAIN_REPORT_TEXT 1000		     /* bytes of a text that are kept */
#define LIMIT_DOMAIN_REPORT_ERRORS 20		     /* faults that are told */
#define LIMIT_DOMAIN_REPORT_COUNT 1000000000000LL    /* messages, or sessions, of a record */
#define LIMIT_DOMAIN_REPORT_FAILURES 200	     /* of a report about TLS that are kept */
#define LIMIT_DOMAIN_REPORT_MS 10000		     /* elapsed time of the child that reads */
#define LIMIT_DOMAIN_REPORT_BYTES (256L * LIMIT_MIB) /* its memory */
#define LIMIT_DMARC_ROWS 200			     /* of the figures, before "other" */

#endif
