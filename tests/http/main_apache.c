/* SPDX-License-Identifier: MIT */
/* Tests that depend on the web server, once more under Apache. */
#include "tests/support/instance.h"

int
main(int argc, char **argv)
{
	return test_instance_main(argc, argv, "apache", 0);
}
