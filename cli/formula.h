/* SPDX-License-Identifier: MIT */
/* Texts that a spreadsheet would take for formulas. */
#ifndef CLI_FORMULA_H
#define CLI_FORMULA_H

#include <glib.h>

/* A formula begins with one of = + - @, tab and CR, and gets a ' in front of it, as does what
   begins with ' and such a character; the other call takes it away again:
   cli_formula_unguard(cli_formula_guard(x)) is x. Each gives text itself, or what was put into
   *buffer_r, which the caller frees. */
const char *cli_formula_guard(const char *text, char **buffer_r);
const char *cli_formula_unguard(const char *text);

#endif
