/* SPDX-License-Identifier: MIT */
/* Limits of fetching from other servers, and of asking them. The units are those of
 * base/limits/unit.h. */
#ifndef BASE_LIMITS_FETCH_H
#define BASE_LIMITS_FETCH_H

#define LIMIT_PROVIDER_FETCH_BYTES (64 * 1024) /* of a certificate or a confirmation */
#define LIMIT_PROVIDER_FETCH_MS 5000	       /* to fetch it */
#define LIMIT_DNS_NAME 255 /* octets of a name in a reply (RFC 1035 section 2.3.4) */
#define LIMIT_FETCH_MS 20000
#define LIMIT_LINK_MS 5000	      /* for one link of a broadcast's check */
#define LIMIT_SPAM_MS 20000	      /* for the opinion of a spam filter */
#define LIMIT_DNS_MS 5000	      /* for all look-ups of one call */
#define LIMIT_DESTINATION_DNS_MS 2000 /* for the MX of recipients' domains */
#define LIMIT_FETCH_REDIRECTS 3
#define LIMIT_FETCH_HEADER_BYTES (64 * 1024) /* of one answer, including interim ones */

#endif
