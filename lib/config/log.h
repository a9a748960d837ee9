/* SPDX-License-Identifier: MIT */
/* Sentences for the operator: to the log, or to standard error while it is not open. */
#ifndef CONFIG_LOG_H
#define CONFIG_LOG_H

#include <glib.h>

/* Writes a sentence: an event "message" of level error with the field text, once the log is open
   (config/log_line.h). Until then, and in the admin program, a line to standard error, "program:
   text", with a single write; control and invisible characters (line ends, ESC, marks that change
   the writing direction) are escaped as \u{a}, bytes that are not UTF-8 as \xff, so that input
   cannot forge a line. Only programs log; library rooms return errors. */
void config_log(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Writes one line with this text. */
void config_log_text(const char *text);

/* Writes one line with the reason why this program ends, to standard error too if the log is
   elsewhere. */
void config_log_end(const char *text);

/* Escapes the same characters in text that is shown on a terminal. The caller owns the result. */
char *config_log_escape(const char *text);

/* Sets the program name at the beginning of each line; the string must live as long as the process.
 */
void config_log_name(const char *program);

#endif
