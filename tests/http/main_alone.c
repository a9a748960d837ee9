/* SPDX-License-Identifier: MIT */
/* What needs settings of its own, or breaks things: one test at a time on one instance. */
#include "tests/support/instance.h"

int
main(int argc, char **argv)
{
	return test_instance_main(argc, argv, "lighttpd", 1);
}
