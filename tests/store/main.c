/* SPDX-License-Identifier: MIT */
/* Runs the tests of the store room, which need a MariaDB. */
#include "tests/support/mariadb.h"

int
main(int argc, char **argv)
{
	return test_mariadb_main(argc, argv);
}
