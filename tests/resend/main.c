/* SPDX-License-Identifier: MIT */
/* The suite of the front /resend, under lighttpd. */
#include "tests/support/instance.h"

int
main(int argc, char **argv)
{
	return test_instance_main(argc, argv, "lighttpd", 0);
}
