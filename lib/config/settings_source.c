/* SPDX-License-Identifier: MIT */
/* The table of the keys of [source ADDRESS]. */
#include "config/settings_source.h"

#include <arpa/inet.h>

#include "config/settings_table.h"

static bool
settings_source_is_helo_form(char *entry)
{
	return config_settings_describe(SETTING_SMTP_HELO)->check(entry);
}

static bool
settings_source_is_warmup_form(char *entry)
{
	return config_settings_describe(SETTING_WARMUP_LIMITS)->check(entry);
}

static const struct config_setting_row rows[] = {
#define SOURCE(name, ...) [name] = {__VA_ARGS__},
#include "config/settings.def"
};

G_STATIC_ASSERT(G_N_ELEMENTS(rows) == SOURCE_KEY_COUNT);

const struct config_setting_row *
config_source_describe(enum config_source_key key)
{
	g_assert(key < SOURCE_KEY_COUNT);
	return &rows[key];
}

bool
config_source_is_name(const char *address)
{
	struct in_addr parsed;

	return inet_pton(AF_INET, address, &parsed) == 1;
}
