/* SPDX-License-Identifier: MIT */
/* Tests that change settings or break servers, one at a time on one instance. */
#include "tests/support/instance.h"

int
main(int argc, char **argv)
{
	return test_instance_main(argc, argv, "lighttpd", 1);
}
