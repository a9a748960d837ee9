/* SPDX-License-Identifier: MIT */
/* A DNS server with faults. */
#ifndef TESTS_DNS_FAULTY_H
#define TESTS_DNS_FAULTY_H

#include <glib.h>

#include "base/scope.h"

enum fault {
	FAULT_SILENT,	 /* never answers */
	FAULT_SERVFAIL,	 /* answers SERVFAIL */
	FAULT_REFUSED,	 /* answers REFUSED */
	FAULT_GARBAGE,	 /* answers with random bytes */
	FAULT_CUT,	 /* announces an answer that is missing */
	FAULT_OTHER,	 /* answers another question */
	FAULT_TRUNCATED, /* says "by TCP", and listens on no TCP port */
	FAULT_ALIASES, /* says of name N that it is an alias of N + 1 ("1.alias" of "2.alias"), and
			  no more; of 8 and above that there is no such type */
};

struct faulty;

struct faulty *faulty_start(enum fault fault);
const char *faulty_address(const struct faulty *faulty);
/* The number of queries so far. */
guint faulty_count(const struct faulty *faulty);
void faulty_stop(struct faulty *faulty);
DEFINE_AUTO(faulty, faulty_stop)

#endif
