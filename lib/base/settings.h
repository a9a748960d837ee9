/* SPDX-License-Identifier: MIT */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "base/settings_table.h"

struct base_secret;

struct base_settings;

/* Reads and checks a whole settings file (GKeyFile format: a backslash in a value is written
   twice). A key without a value counts as left out. NOT_FOUND when there is no such file, FAILED
   when it cannot be read. INVALID with "FILE:LINE: what is wrong" for a syntax error, an unknown
   section or key, one given twice, a wrong type or range, a relative path, a key given both as
   value and as file, an unreadable or empty secret; for a file that others (mode 007) can read or
   change, be it this one while it holds a secret itself, or a file of secrets. INVALID with "FILE:
   ..." for a required key that is missing. No message shows a secret. The caller frees the result.
 */
struct base_settings *base_settings_load(const char *path, GError **error);

/* The file that a program reads: argument if not NULL, else $POSTHOUSE_CONFIG if not empty, else
 * SYSCONFDIR/posthouse/posthouse.conf. */
const char *base_settings_path(const char *argument);

void base_settings_free(struct base_settings *settings);
DEFINE_AUTO(base_settings, base_settings_free)

/* The getters below serve the types they name; anything else is a mistake in the program and ends
   it. What they return belongs to settings. */

/* Whether it has a value, be it only its default. */
bool base_settings_given(const struct base_settings *settings, enum base_setting setting);

/* Texts, paths: never NULL, "" when unset. */
const char *base_settings_text(const struct base_settings *settings, enum base_setting setting);
gint64 base_settings_number(const struct base_settings *settings, enum base_setting setting);
/* The value of the enum. */
int base_settings_choice(const struct base_settings *settings, enum base_setting setting);
bool base_settings_switch(const struct base_settings *settings, enum base_setting setting);
/* NULL-terminated, never NULL. */
const char *const *base_settings_list(
    const struct base_settings *settings, enum base_setting setting);

/* The secrets of secret_file. */
const struct base_secret *base_settings_secret(const struct base_settings *settings);

#endif
