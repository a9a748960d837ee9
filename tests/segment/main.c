/* SPDX-License-Identifier: MIT */
/* Runs the suites of segments, which need a MariaDB. */
#include "tests/support/mariadb.h"

int
main(int argc, char **argv)
{
	return test_mariadb_main(argc, argv);
}
