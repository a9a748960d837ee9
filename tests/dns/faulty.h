/* SPDX-License-Identifier: MIT */
/* A DNS server that answers as no good one would. */
#ifndef TESTS_DNS_FAULTY_H
#define TESTS_DNS_FAULTY_H

#include <glib.h>

#include "base/scope.h"

enum fault {
	FAULT_SILENT,	 /* never answers */
	FAULT_SERVFAIL,	 /* says that it cannot tell */
	FAULT_REFUSED,	 /* says that it will not tell */
	FAULT_GARBAGE,	 /* answers with bytes that are no message */
	FAULT_CUT,	 /* claims an answer that is not there */
	FAULT_OTHER,	 /* answers a question that nobody asked */
	FAULT_TRUNCATED, /* says "by TCP", and listens on no TCP port */
	FAULT_ALIASES, /* says of name N that it is an alias of N + 1 ("1.alias" of "2.alias"), and
			  no more; of 8 and above that there is no such type */
};

struct faulty;

struct faulty *faulty_start(enum fault fault);
const char *faulty_address(const struct faulty *faulty);
/* How many queries it has had. */
guint faulty_count(const struct faulty *faulty);
void faulty_stop(struct faulty *faulty);
DEFINE_AUTO(faulty, faulty_stop)

#endif
