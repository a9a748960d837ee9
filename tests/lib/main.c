/* SPDX-License-Identifier: MIT */
/* The suite of the service room, which needs a MariaDB. */
#include "tests/support/mariadb.h"

int
main(int argc, char **argv)
{
	return test_mariadb_main(argc, argv);
}
