/* SPDX-License-Identifier: MIT */
/* Finds time zones by the names that people write. */
#include "text/time_zone.h"

#include <stdio.h>
#include <string.h>

/* The rules of the zones of the United States (POSIX.1 section 8.3) stand here, so that they do not
   depend on the system's list. */
static const struct {
	const char *name, *rule;
} known[] = {
    {"UTC", "UTC"},
    {"GMT", "UTC"},
    {"ET", "EST5EDT,M3.2.0,M11.1.0"},
    {"EST", "-05:00"},
    {"EDT", "-04:00"},
    {"CT", "CST6CDT,M3.2.0,M11.1.0"},
    {"CST", "-06:00"},
    {"CDT", "-05:00"},
    {"MT", "MST7MDT,M3.2.0,M11.1.0"},
    {"MST", "-07:00"},
    {"MDT", "-06:00"},
    {"PT", "PST8PDT,M3.2.0,M11.1.0"},
    {"PST", "-08:00"},
    {"PDT", "-07:00"},
    {"BST", "+01:00"},
    {"CET", "+01:00"},
    {"CEST", "+02:00"},
};

/* Sign, two digits of hours, two of minutes, with or without a colon between them. */
static bool
is_offset(const char *text)
{
	bool colon = strlen(text) == 6 && text[3] == ':';
	const char *minutes = text + (colon ? 4 : 3);

	return (strlen(text) == 5 || colon) && (text[0] == '+' || text[0] == '-') &&
	       g_ascii_isdigit(text[1]) && g_ascii_isdigit(text[2]) &&
	       (text[1] - '0') * 10 + text[2] - '0' < 24 && minutes[0] >= '0' &&
	       minutes[0] <= '5' && g_ascii_isdigit(minutes[1]);
}

/* Whether a text can be a name of the system's list, and no other file. */
static bool
is_listed_form(const char *text)
{
	const char *slash = strchr(text, '/');

	return g_ascii_isalpha(text[0]) && slash && g_ascii_isalpha(slash[1]) &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/") ==
		   strlen(text);
}

/* The name with a capital at the beginning of each word, as most names of the list are. */
static char *
capitalized(const char *name)
{
	char *text = g_ascii_strdown(name, -1);

	for (char *p = text; *p; p++)
		if (p == text || strchr("/_-", p[-1]))
			*p = g_ascii_toupper(*p);
	return text;
}

GTimeZone *
text_time_zone(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(known); i++)
		if (g_ascii_strcasecmp(name, known[i].name) == 0)
			return g_time_zone_new_identifier(known[i].rule);
	if (is_offset(name))
		return g_time_zone_new_identifier(name);
	if (!is_listed_form(name))
		return NULL;
	GTimeZone *zone = g_time_zone_new_identifier(name);
	g_autofree char *other = zone ? NULL : capitalized(name);
	return zone ? zone : g_time_zone_new_identifier(other);
}

#define ZONES "/usr/share/zoneinfo"
#define MAGIC "TZif" /* RFC 8536 section 3.1 */

/* Words of letters, digits, _, + and - between slashes, each with a letter in front. */
static bool
time_zone_is_name_form(const char *name)
{
	for (const char *p = name; *p; p++) {
		bool first = p == name || p[-1] == '/';

		if (first ? !g_ascii_isalpha(*p)
			  : !g_ascii_isalnum(*p) && !(strchr("_+-", *p) || (*p == '/' && p[1])))
			return false;
	}
	return *name != '\0';
}

/* Other files of the data: the same zones again, and the server's own zone. */
static bool
time_zone_is_beside(const char *name)
{
	static const char *const names[] = {"localtime", "posixrules", "Factory", NULL};

	return g_str_has_prefix(name, "posix/") || g_str_has_prefix(name, "right/") ||
	       g_strv_contains(names, name);
}

bool
text_time_zone_is_name(const char *name)
{
	const char *folder = g_getenv("TZDIR");
	char magic[sizeof(MAGIC)] = "";

	if (strcmp(name, "UTC") == 0)
		return true;
	if (!time_zone_is_name_form(name) || time_zone_is_beside(name))
		return false;
	g_autofree char *path = g_build_filename(folder ? folder : ZONES, name, NULL);
	FILE *file = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? fopen(path, "rb") : NULL;
	if (!file)
		return false;
	bool read = fread(magic, strlen(MAGIC), 1, file) == 1;
	fclose(file);
	return read && strcmp(magic, MAGIC) == 0;
}
