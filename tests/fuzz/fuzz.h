/* SPDX-License-Identifier: MIT */
/* The common parts of the fuzz targets. Each target is a program of one function, which libFuzzer
   ("make fuzz") or tests/fuzz/replay.c ("make check") calls. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <glib.h>

/* Tries one input, and aborts where an assertion does not hold. Returns 0, or -1 for an input that
   libFuzzer need not keep. */
int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);

/* The input as a text: up to its first NUL, and what is not UTF-8 replaced. The caller owns it. */
char *fuzz_text(const guint8 *data, gsize size);

/* An error is told to people in JSON: it is there, in UTF-8 and on one line. Frees it. */
void fuzz_check_error(GError *error);

#endif
