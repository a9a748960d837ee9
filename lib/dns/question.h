/* SPDX-License-Identifier: MIT */
/* One look-up: what is asked, and what comes back. */
#ifndef DNS_QUESTION_H
#define DNS_QUESTION_H

#include <glib.h>

#include "base/scope.h"

enum dns_type { DNS_TXT, DNS_MX, DNS_SOA };

enum dns_outcome {
	DNS_FOUND,
	DNS_NO_NAME,   /* there is no such name (NXDOMAIN) */
	DNS_NO_TYPE,   /* there is, but nothing of this type */
	DNS_NO_ANSWER, /* nobody could tell: no server answered in time, or sensibly */
};

/* A record that was found. */
struct dns_answer {
	char *text;	/* TXT: its strings joined (RFC 7208 section 3.3), bytes that are not ASCII,
			   and NUL, as \DDD. MX: the host, "" for none (RFC 7505). SOA: the primary
			   name server */
	guint32 number; /* MX: the preference. SOA: the serial number */
	char *admin;	/* SOA: the address of who is responsible, local@domain */
	char *zone;	/* SOA: the name of the zone, without a final dot */
};

void dns_answer_free(struct dns_answer *answer);

struct dns_question {
	char *name;
	enum dns_type type;
	enum dns_outcome outcome; /* DNS_NO_ANSWER until there is one */
	GPtrArray *answers;	  /* of struct dns_answer; empty unless DNS_FOUND */
};

/* The caller frees it. */
struct dns_question *dns_question_new(const char *name, enum dns_type type);
void dns_question_free(struct dns_question *question);
DEFINE_AUTO(dns_question, dns_question_free)

#endif
