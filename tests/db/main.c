/* SPDX-License-Identifier: MIT */
/* Runs the tests of the db room with a MariaDB server. */
#include "tests/support/mariadb.h"

int
main(int argc, char **argv)
{
	return test_mariadb_main(argc, argv);
}
