/* SPDX-License-Identifier: MIT */
/* Writes dates in the words of a language. */
#include "template/date.h"

#include <string.h>

#define FORMATS "YmdeHMSBbAa%"
#define MOST_ZONES 1000				    /* that one rendering looks for */
#define FIRST_MS G_GINT64_CONSTANT(-62135596800000) /* 0001-01-01 */
#define LAST_MS G_GINT64_CONSTANT(253402300799999)  /* 9999-12-31 */

/* clang-format off */
static const char *const months[][12] = {
	[LANGUAGE_EN] = {"January", "February", "March", "April", "May", "June", "July", "August", "September",
		"October", "November", "December"},
	[LANGUAGE_DE] = {"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
		"Oktober", "November", "Dezember"},
	[LANGUAGE_FR] = {"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
		"octobre", "novembre", "décembre"},
	[LANGUAGE_ES] = {"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
		"octubre", "noviembre", "diciembre"},
	[LANGUAGE_PT] = {"janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro",
		"outubro", "novembro", "dezembro"},
};
static const char *const short_months[][12] = {
	[LANGUAGE_EN] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
	[LANGUAGE_DE] = {"Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez"},
	[LANGUAGE_FR] = {"janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.",
		"nov.", "déc."},
	[LANGUAGE_ES] = {"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"},
	[LANGUAGE_PT] = {"jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez"},
};
/* From Monday on. */
static const char *const days[][7] = {
	[LANGUAGE_EN] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"},
	[LANGUAGE_DE] = {"Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"},
	[LANGUAGE_FR] = {"lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"},
	[LANGUAGE_ES] = {"lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"},
	[LANGUAGE_PT] = {"segunda-feira", "terça-feira", "quarta-feira", "quinta-feira", "sexta-feira", "sábado",
		"domingo"},
};
static const char *const short_days[][7] = {
	[LANGUAGE_EN] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"},
	[LANGUAGE_DE] = {"Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"},
	[LANGUAGE_FR] = {"lun.", "mar.", "mer.", "jeu.", "ven.", "sam.", "dim."},
	[LANGUAGE_ES] = {"lun", "mar", "mié", "jue", "vie", "sáb", "dom"},
	[LANGUAGE_PT] = {"seg", "ter", "qua", "qui", "sex", "sáb", "dom"},
};
/* clang-format on */

bool
template_date_format_known(const char *format, gsize size)
{
	for (gsize i = 0; i < size; i++)
		if (format[i] == '%' &&
		    (++i == size || !memchr(FORMATS, format[i], strlen(FORMATS))))
			return false;
	return true;
}

bool
template_date_is_zone(const char *zone)
{
	/* GLib reads the file of this name; it must not lead elsewhere. */
	return g_ascii_isalpha(*zone) && !strstr(zone, "//") && !g_str_has_suffix(zone, "/") &&
	       !zone[strspn(zone, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_+-/")];
}

static void
free_zone(void *zone)
{
	if (zone)
		g_time_zone_unref(zone);
}

GHashTable *
template_date_zones_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_zone);
}

GTimeZone *
template_date_zone(GHashTable *zones, const char *name)
{
	void *zone = NULL;

	if (g_hash_table_lookup_extended(zones, name, NULL, &zone) ||
	    g_hash_table_size(zones) >= MOST_ZONES)
		return zone;
	zone = *name ? g_time_zone_new_identifier(name) : g_time_zone_new_utc();
	g_hash_table_insert(zones, g_strdup(name), zone);
	return zone;
}

static void
date_append_part(char letter, enum template_language language, GDateTime *time, GString *out)
{
	int month = g_date_time_get_month(time) - 1, day = g_date_time_get_day_of_week(time) - 1;

	switch (letter) {
	case 'Y':
		g_string_append_printf(out, "%04d", g_date_time_get_year(time));
		break;
	case 'm':
		g_string_append_printf(out, "%02d", month + 1);
		break;
	case 'd':
		g_string_append_printf(out, "%02d", g_date_time_get_day_of_month(time));
		break;
	case 'e':
		g_string_append_printf(out, "%d", g_date_time_get_day_of_month(time));
		break;
	case 'H':
		g_string_append_printf(out, "%02d", g_date_time_get_hour(time));
		break;
	case 'M':
		g_string_append_printf(out, "%02d", g_date_time_get_minute(time));
		break;
	case 'S':
		g_string_append_printf(out, "%02d", g_date_time_get_second(time));
		break;
	case '%':
		g_string_append_c(out, '%');
		break;
	default:
		g_string_append(out, letter == 'B'   ? months[language][month]
				     : letter == 'b' ? short_months[language][month]
				     : letter == 'A' ? days[language][day]
						     : short_days[language][day]);
	}
}

bool
template_date_append(const char *format, gsize size, enum template_language language,
    GTimeZone *zone, gint64 epoch_ms, GString *out)
{
	gint64 seconds = epoch_ms / 1000 - (epoch_ms % 1000 < 0);

	if (epoch_ms < FIRST_MS || epoch_ms > LAST_MS)
		return false;
	g_autoptr(GDateTime) utc = g_date_time_new_from_unix_utc(seconds);
	g_autoptr(GDateTime) time = g_date_time_to_timezone(utc, zone);
	/* A zone can lead out of the years that there are. */
	if (!time)
		return false;
	for (gsize i = 0; i < size; i++)
		if (format[i] == '%')
			date_append_part(format[++i], language, time, out);
		else
			g_string_append_c(out, format[i]);
	return true;
}
