/* SPDX-License-Identifier: MIT */
/* The lines of the log: an event with its fields, as [log] of the settings has it. */
#ifndef CONFIG_LOG_LINE_H
#define CONFIG_LOG_LINE_H

#include <glib.h>
#include <stdbool.h>

#include "config/settings_table.h"

struct base_id;
struct config_settings;

/* Opens the log of this process: standard error, a file or syslog. settings and program outlive it.
   Before that, no event is logged. SIGHUP opens a file anew: it is blocked from now on, and every
   line and config_log_line_reopen look for it. FAILED, with a sentence, when the file cannot be
   written or syslog cannot be reached; standard error then gets the lines. */
bool config_log_line_open(
    const struct config_settings *settings, const char *program, GError **error);

/* Whether config_log_line_open was called in this process. */
bool config_log_line_is_open(void);

/* Whether the lines go anywhere else than to standard error. */
bool config_log_line_is_elsewhere(void);

/* Opens the file anew if SIGHUP has come. */
void config_log_line_reopen(void);

/* A line that is being made. */
struct config_log_line {
	GString *text;
	enum config_setting_level level;
	const char *event;
};

/* Begins a line. False when the log is not open, or has no lines of this level: add nothing then.
 */
bool config_log_line_begin(
    struct config_log_line *line, enum config_setting_level level, const char *event);

/* Adds a field. A text that is NULL is left out; in it, invalid UTF-8 becomes U+FFFD. */
void config_log_line_text(struct config_log_line *line, const char *name, const char *text);
void config_log_line_number(struct config_log_line *line, const char *name, gint64 number);
void config_log_line_id(struct config_log_line *line, const char *name, const struct base_id *id);

/* Adds an address as [log] addresses says: whole, as "h:" and 16 hex digits, or not at all. */
void config_log_line_address(struct config_log_line *line, const char *name, const char *address);

/* Adds a text of at most most bytes that others wrote, with the addresses in it likewise; "-"
   stands for an address that is not shown. */
void config_log_line_masked(
    struct config_log_line *line, const char *name, const char *text, gsize most);

/* A text with the addresses in it likewise, for records beside the log. It is valid UTF-8. The
   caller owns the result. */
char *config_log_line_mask(const struct config_settings *settings, const char *text);

/* An address for records beside the log, in which it can be known again but not written to, as in
   a***@example.org; NULL where [log] addresses is none. The caller owns it. */
char *config_log_line_hint(const struct config_settings *settings, const char *address);

/* Writes the line, with one write. */
void config_log_line_end(struct config_log_line *line);

/* Whether a character shows on a terminal as itself: no control, no mark that changes the line. */
bool config_log_line_is_visible(gunichar c);

#endif
