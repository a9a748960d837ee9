/* SPDX-License-Identifier: MIT */
/* A DNS query with its result. */
#ifndef DNS_QUESTION_H
#define DNS_QUESTION_H

#include <glib.h>

#include "base/scope.h"

enum dns_type { DNS_TXT, DNS_MX, DNS_SOA, DNS_A, DNS_PTR, DNS_AAAA, DNS_CNAME };

enum dns_outcome {
	DNS_FOUND,
	DNS_NO_NAME,   /* the name does not exist (NXDOMAIN) */
	DNS_NO_TYPE,   /* the name exists, but has no record of this type */
	DNS_NO_ANSWER, /* no server gave a valid answer in time */
};

/* A record of the answer. */
struct dns_answer {
	char *text; /* TXT: the strings joined (RFC 7208 section 3.3), with NUL and bytes outside
		       ASCII as \DDD. MX: the host; "" means no mail (RFC 7505). SOA: the primary
		       name server. A, AAAA: the address. PTR, CNAME: the name */
	guint32 number; /* MX: the preference. SOA: the serial number */
	char *admin;	/* SOA: the responsible mailbox, local@domain */
	char *zone;	/* SOA: the name of the zone, without a final dot */
};

void dns_answer_free(struct dns_answer *answer);

struct dns_question {
	char *name;
	enum dns_type type;
	enum dns_outcome outcome; /* DNS_NO_ANSWER until an answer comes */
	GPtrArray *answers;	  /* of struct dns_answer; empty unless DNS_FOUND */
	GPtrArray *aliases; /* char *: the names that CNAME records led to, one after the other */
};

/* A question without an answer yet; name is copied. The caller frees it. */
struct dns_question *dns_question_new(const char *name, enum dns_type type);
void dns_question_free(struct dns_question *question);
DEFINE_AUTO(dns_question, dns_question_free)

#endif
