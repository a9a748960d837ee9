/* SPDX-License-Identifier: MIT */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <glib.h>

/* One line on standard error, "program: text". Control and invisible characters (line ends, ESC,
   marks that turn the direction of writing) are escaped as \u{a}, bytes that are no UTF-8 as \xff,
   so that nothing that came from outside can forge a line. The line is one write. For programs
   alone: library rooms return errors. */
void base_log(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Text with the same characters escaped, as for anything else that is shown on a terminal. The
   caller owns the result. */
char *base_log_escape(const char *text);

/* The name in front of each line; a string that lives as long as the process. */
void base_log_name(const char *program);

#endif
