/* SPDX-License-Identifier: MIT */
/* The sections [pace DOMAIN]: the table of their keys, and the limits of a destination. */
#ifndef CONFIG_SETTINGS_PACE_H
#define CONFIG_SETTINGS_PACE_H

#include <glib.h>
#include <stdbool.h>

#include "config/settings_table.h"

#define PACE_DEFAULT "default" /* the section of all destinations without one of their own */

/* One value for each row PACE of config/settings.def. */
enum config_pace_key {
#define PACE(name, ...) name,
#include "config/settings.def"
	PACE_KEY_COUNT
};

/* The rate at which messages may go to a destination: count in each unit of time. */
struct config_pace_rate {
	guint count;	  /* 0: no limit */
	const char *unit; /* "a second", "a minute" or "an hour" */
	gint64 unit_us;
};

/* The limits of a destination. */
struct config_pace {
	const char *domain; /* or PACE_DEFAULT; lives as long as the settings */
	guint connections;  /* messages under way at once, 0: no limit */
	struct config_pace_rate rate;
};

/* The row of a key, whose section is "pace"; it lives as long as the process. */
const struct config_setting_row *config_pace_describe(enum config_pace_key key);

/* Whether a section may be for this domain: a host name in lower case, or PACE_DEFAULT. */
bool config_pace_is_name(const char *domain);

/* Reads a rate: N, N/s, N/m or N/h, N from 0 to 100000. False for other text. */
bool config_pace_read_rate(const char *text, struct config_pace_rate *rate_r);

#endif
