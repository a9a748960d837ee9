/* SPDX-License-Identifier: MIT */
/* Keeps spreadsheets from taking a text for a formula. */
#include "cli/formula.h"

#include <stdbool.h>
#include <string.h>

/* Whether text begins, after any number of ', with what a spreadsheet takes for a formula. */
static bool
is_formula(const char *text)
{
	text += strspn(text, "'");
	return *text && strchr("=+-@\t\r", *text);
}

const char *
cli_formula_guard(const char *text, char **buffer_r)
{
	*buffer_r = text && is_formula(text) ? g_strconcat("'", text, NULL) : NULL;
	return *buffer_r ? *buffer_r : text;
}

const char *
cli_formula_unguard(const char *text)
{
	return *text == '\'' && is_formula(text) ? text + 1 : text;
}
