/* SPDX-License-Identifier: MIT */
/* The suite of posthouse-smtpd, which needs a MariaDB. */
#include "tests/support/mariadb.h"

int
main(int argc, char **argv)
{
	return test_mariadb_main(argc, argv);
}
