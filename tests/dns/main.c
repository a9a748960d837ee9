/* SPDX-License-Identifier: MIT */
/* Runs the tests of the dns room with an NSD server. */
#include <criterion/criterion.h>

#include "tests/support/nsd.h"

int
main(int argc, char **argv)
{
	struct criterion_test_set *tests = criterion_initialize();
	int result = 0;

	if (!test_nsd_there()) {
		g_printerr("NSD is not installed (nsd): skipped\n");
		return 77;
	}
	if (criterion_handle_args(argc, argv, true))
		result = !criterion_run_all_tests(tests);
	criterion_finalize(tests);
	return result;
}
