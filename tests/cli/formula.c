/* SPDX-License-Identifier: MIT */
/* What stands in front of a formula, and goes away again. */
#include "cli/formula.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const odd[] = {"", "a", "=1+1", "'=1+1", "''=x", "+1", "-", "@x", "\tx", "\rx",
    "'t Hooft", "'", "''", "a=b", " =1", "\"quoted\"", "a,b", "line\r\nend", "\n", "ö"};

Test(formula, is_guarded_and_the_guard_taken_away)
{
	for (gsize i = 0; i < G_N_ELEMENTS(odd); i++) {
		g_autofree char *buffer = NULL;
		const char *guarded = cli_formula_guard(odd[i], &buffer);

		cr_expect(
		    !*guarded || !strchr("=+-@\t\r", *guarded), "%s: got %s", odd[i], guarded);
		cr_expect_str_eq(cli_formula_unguard(guarded), odd[i], "%s", odd[i]);
	}
	g_autofree char *buffer = NULL, *none = NULL;
	cr_expect_str_eq(cli_formula_guard("=1", &buffer), "'=1");
	cr_expect_str_eq(cli_formula_unguard("'t Hooft"), "'t Hooft");
	cr_expect_null(cli_formula_guard(NULL, &none));
}
