/* SPDX-License-Identifier: MIT */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "base/settings_pace.h"
#include "base/settings_relay.h"
#include "base/settings_table.h"

struct base_secret;

/* All settings of an installation, with their values. */
struct base_settings;

/* Reads and checks a whole settings file in the format of GKeyFile, in which a backslash in a value
   is written twice. A key without a value counts as missing. The caller frees the result. No error
   message shows a secret.

   NOT_FOUND when the file does not exist; FAILED when it cannot be read. INVALID with "FILE:LINE:
   problem" for a syntax error, an unknown section or key, a key given twice, a wrong type or range,
   a relative path, a key given both as value and as file, an unreadable or empty secret, and for
   permissions that let other users (mode 007) use a secret: those of this file if it holds one, or
   those of a file of secrets. INVALID with "FILE: problem" for a required key that is missing. */
struct base_settings *base_settings_load(const char *path, GError **error);

/* The path of the settings file: argument if it is not NULL, else $POSTHOUSE_CONFIG if it is not
 * empty, else SYSCONFDIR/posthouse/posthouse.conf. */
const char *base_settings_path(const char *argument);

void base_settings_free(struct base_settings *settings);
DEFINE_AUTO(base_settings, base_settings_free)

/* Each getter below takes settings of its own type only; any other setting ends the process. The
   results belong to settings. */

/* Whether the setting has a value, from the file or by default. Takes settings of any type. */
bool base_settings_given(const struct base_settings *settings, enum base_setting setting);

/* A text or path; "" when it is not set, never NULL. */
const char *base_settings_text(const struct base_settings *settings, enum base_setting setting);
gint64 base_settings_number(const struct base_settings *settings, enum base_setting setting);
/* The chosen value of the setting's enum (base/settings_table.h). */
int base_settings_choice(const struct base_settings *settings, enum base_setting setting);
bool base_settings_switch(const struct base_settings *settings, enum base_setting setting);
/* The entries, NULL-terminated; never NULL. */
const char *const *base_settings_list(
    const struct base_settings *settings, enum base_setting setting);

/* The relays: those of the sections [relay NAME] in their order; without any, the hosts of [smtp],
   each a relay called HOST:PORT, whose order is its place from 1 on. */
bool base_settings_has_relays(const struct base_settings *settings); /* sections */
guint base_settings_relay_count(const struct base_settings *settings);
const struct base_relay *base_settings_relay(const struct base_settings *settings, guint index);

/* The sections [pace DOMAIN], in their order. */
guint base_settings_pace_count(const struct base_settings *settings);
const struct base_pace *base_settings_pace(const struct base_settings *settings, guint index);

/* The secrets of service.secret_file. */
const struct base_secret *base_settings_secret(const struct base_settings *settings);

#endif
