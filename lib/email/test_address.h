/* SPDX-License-Identifier: MIT */
/* Addresses for tests: an email to one of them leaves nothing, and has the events of their names.
 */
#ifndef EMAIL_TEST_ADDRESS_H
#define EMAIL_TEST_ADDRESS_H

#include <stdbool.h>

/* The relay that the events of test addresses name. */
#define TEST_ADDRESS_RELAY "test"

/* The behaviour of an address. */
enum email_test_address {
	TEST_ADDRESS_NONE, /* as any: its domain is not for tests */
	TEST_ADDRESS_DELIVERED,
	TEST_ADDRESS_BOUNCED,
	TEST_ADDRESS_COMPLAINED,
	TEST_ADDRESS_DELAYED, /* at the first attempt; delivered at the next one */
	TEST_ADDRESS_SUPPRESSED,
	TEST_ADDRESS_UNKNOWN, /* its domain is for tests, and has no such name: it bounces, where it
				 was not refused before */
};

/* The behaviour of an address in its normal form (mail/address.h): of NAME@test.posthouse.invalid
   and NAME+LABEL@test.posthouse.invalid, in either case of the letters. All other names there
   bounce. compat: also of those at the domain for tests that clients of a compatible API know. */
enum email_test_address email_test_address(const char *address, bool compat);

/* Whether a test address bounces only after a server has taken the message, as those at that other
   domain do: it is sent before. */
bool email_test_address_bounces_late(const char *address);

#endif
