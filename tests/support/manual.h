/* SPDX-License-Identifier: MIT */
/* Compares manual pages with the help of programs. */
#ifndef TESTS_SUPPORT_MANUAL_H
#define TESTS_SUPPORT_MANUAL_H

/* A page of man/, "posthouse.1". Ends the test where it cannot be read; the caller frees it. */
char *test_manual_read(const char *page);

/* Expects each option in what a program's --help says to have its entry (.It Fl -NAME) in the page,
   and no other. */
void test_manual_expect_options(const char *page, const char *help);

#endif
