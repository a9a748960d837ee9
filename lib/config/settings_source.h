/* SPDX-License-Identifier: MIT */
/* The sections [source ADDRESS]: the table of their keys, and what is set of an address from which
   relays are connected. */
#ifndef CONFIG_SETTINGS_SOURCE_H
#define CONFIG_SETTINGS_SOURCE_H

#include <glib.h>
#include <stdbool.h>

#include "config/settings_table.h"

/* One value for each row SOURCE of config/settings.def. */
enum config_source_key {
#define SOURCE(name, ...) name,
#include "config/settings.def"
	SOURCE_KEY_COUNT
};

/* An address. Its strings live as long as the settings. */
struct config_source {
	const char *address;
	const char *helo;	   /* "": that of the relay */
	const char *const *warmup; /* numbers as text, of its first days; NULL-terminated */
};

/* The row of a key, whose section is "source"; it lives as long as the process. */
const struct config_setting_row *config_source_describe(enum config_source_key key);

/* Whether a section may be for this address: an IPv4 address. */
bool config_source_is_name(const char *address);

#endif
