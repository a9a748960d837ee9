/* SPDX-License-Identifier: MIT */
/* Runs the engine's suites, which need a MariaDB. */
#include "tests/support/mariadb.h"

int
main(int argc, char **argv)
{
	return test_mariadb_main(argc, argv);
}
