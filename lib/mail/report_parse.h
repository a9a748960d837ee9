/* SPDX-License-Identifier: MIT */
#ifndef MAIL_REPORT_PARSE_H
#define MAIL_REPORT_PARSE_H

#include <glib.h>

struct mail_report;

/* Reads a message, of which there may be more than LIMIT_REPORT_BYTES. Never NULL; the caller frees
   it. */
struct mail_report *mail_report_parse(const void *message, gsize size);

#endif
