/* SPDX-License-Identifier: MIT */
/* The settings file: it is read and checked once, and getters return its values. */
#ifndef CONFIG_SETTINGS_H
#define CONFIG_SETTINGS_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "config/settings_pace.h"
#include "config/settings_source.h"
#include "config/settings_relay.h"
#include "config/settings_table.h"

struct base_secret;

/* All settings of an installation, with their values. */
struct config_settings;

/* Reads and checks a whole settings file in the format of GKeyFile, in which a backslash in a value
   is written twice. A key without a value counts as missing, unless its row says otherwise. The
   caller frees the result. No error message shows a secret.

   NOT_FOUND when the file does not exist; FAILED when it cannot be read. INVALID with "FILE:LINE:
   problem" for a syntax error, an unknown section or key, a key given twice, a wrong type or range,
   a relative path, a key given both as value and as file, an unreadable or empty secret, and for
   permissions that let other users (mode 007) use a secret: those of this file if it holds one, or
   those of a file of secrets. INVALID with "FILE: problem" for a required key that is missing. */
struct config_settings *config_settings_load(const char *path, GError **error);

/* The path of the settings file: argument if it is not NULL, else $POSTHOUSE_CONFIG if it is not
 * empty, else SYSCONFDIR/posthouse/posthouse.conf. */
const char *config_settings_path(const char *argument);

/* The file that the settings were read from. */
const char *config_settings_source(const struct config_settings *settings);

void config_settings_free(struct config_settings *settings);
DEFINE_AUTO(config_settings, config_settings_free)

/* Each getter below takes settings of its own type only; any other setting ends the process. The
   results belong to settings. */

/* Whether the setting has a value, from the file or by default. Takes settings of any type. */
bool config_settings_given(const struct config_settings *settings, enum config_setting setting);

/* A text or path; "" when it is not set, never NULL. */
const char *config_settings_text(
    const struct config_settings *settings, enum config_setting setting);
/* A number, in the unit of the setting. */
gint64 config_settings_number(const struct config_settings *settings, enum config_setting setting);
/* The chosen value of the setting's enum (config/settings_table.h). */
int config_settings_choice(const struct config_settings *settings, enum config_setting setting);
bool config_settings_switch(const struct config_settings *settings, enum config_setting setting);
/* The entries, NULL-terminated; never NULL. */
const char *const *config_settings_list(
    const struct config_settings *settings, enum config_setting setting);

/* The relays: those of the sections [relay NAME] in their order; without any, the hosts of [smtp],
   each a relay called HOST:PORT, whose order is its place from 1 on. */
bool config_settings_has_relays(const struct config_settings *settings); /* sections */
guint config_settings_relay_count(const struct config_settings *settings);
const struct config_relay *config_settings_relay(
    const struct config_settings *settings, guint index);

/* The section [source ADDRESS] of an address; NULL: there is none. */
const struct config_source *config_settings_source_of(
    const struct config_settings *settings, const char *address);

/* The sections [pace DOMAIN], in their order. */
guint config_settings_pace_count(const struct config_settings *settings);
const struct config_pace *config_settings_pace(const struct config_settings *settings, guint index);

/* The secrets of service.secret_file. */
const struct base_secret *config_settings_secret(const struct config_settings *settings);

#endif
