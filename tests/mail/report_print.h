/* SPDX-License-Identifier: MIT */
/* What was read from a report, as lines of text. */
#ifndef TESTS_MAIL_REPORT_PRINT_H
#define TESTS_MAIL_REPORT_PRINT_H

struct mail_report;

/* A line for each fact; the caller owns it. */
char *report_print(const struct mail_report *report);

#endif
