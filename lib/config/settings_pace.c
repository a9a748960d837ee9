/* SPDX-License-Identifier: MIT */
/* The table of the keys of [pace DOMAIN], and the form of a rate. */
#include "config/settings_pace.h"

#include <string.h>

#include "base/limits/domain.h"
#include "text/hostname.h"

static bool
is_rate_form(char *entry)
{
	struct config_pace_rate rate;

	return config_pace_read_rate(entry, &rate);
}

static const struct config_setting_row rows[] = {
#define PACE(name, ...) [name] = {__VA_ARGS__},
#include "config/settings.def"
};

G_STATIC_ASSERT(G_N_ELEMENTS(rows) == PACE_KEY_COUNT);

const struct config_setting_row *
config_pace_describe(enum config_pace_key key)
{
	g_assert(key < PACE_KEY_COUNT);
	return &rows[key];
}

bool
config_pace_is_name(const char *domain)
{
	for (const char *c = domain; *c; c++)
		if (g_ascii_isupper(*c))
			return false;
	return text_hostname_is_host(domain);
}

bool
config_pace_read_rate(const char *text, struct config_pace_rate *rate_r)
{
	static const struct {
		char letter;
		const char *unit;
		gint64 us;
	} units[] = {
	    {'s', "a second", G_USEC_PER_SEC},
	    {'m', "a minute", 60 * (gint64)G_USEC_PER_SEC},
	    {'h', "an hour", 3600 * (gint64)G_USEC_PER_SEC},
	};
	const char *slash = strchr(text, '/');
	g_autofree char *number = g_strndup(text, slash ? (gsize)(slash - text) : strlen(text));
	guint64 count;

	if (!g_ascii_string_to_unsigned(number, 10, 0, LIMIT_PACE_RATE, &count, NULL))
		return false;
	for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
		if (slash && (slash[1] != units[i].letter || slash[2]))
			continue;
		*rate_r = (struct config_pace_rate){(guint)count, units[i].unit, units[i].us};
		return true;
	}
	return false;
}
