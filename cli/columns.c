/* SPDX-License-Identifier: MIT */
/* Finds columns by their headers. */
#include "cli/columns.h"

#include <string.h>

#include "base/error.h"
#include "cli/csv.h"

/* Letters and digits alone, in one case. */
static char *
fold(const char *header)
{
	g_autofree char *lower = g_utf8_casefold(header, -1);
	GString *folded = g_string_new(NULL);

	for (const char *p = lower; *p; p = g_utf8_next_char(p))
		if (g_unichar_isalnum(g_utf8_get_char(p)))
			g_string_append_unichar(folded, g_utf8_get_char(p));
	return g_string_free(folded, FALSE);
}

static bool
is_named(const struct cli_column *column, const char *header)
{
	g_autofree char *folded = fold(header);

	if (!column->given)
		return g_strv_contains(column->names, folded);
	g_autofree char *wanted = fold(column->given);
	return strcmp(column->given, header) == 0 || (*wanted && strcmp(wanted, folded) == 0);
}

static bool
fail_twice(const struct cli_column *column, const char *one, const char *other, GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "two columns may be the %s, \"%s\" and \"%s\": %s%s", column->field, one, other,
	    column->option ? "say which with " : "leave one out",
	    column->option ? column->option : "");
	return false;
}

/* As spreadsheets write it where the comma stands in numbers. */
static bool
is_separated_otherwise(const struct cli_csv_record *first)
{
	return first->count == 1 && strpbrk(first->fields[0], ";\t");
}

static bool
fail_missing(const struct cli_column *column, const struct cli_csv_record *first, GError **error)
{
	if (is_separated_otherwise(first))
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "the columns of the first line are separated by semicolons or tabs: save the "
		    "file with commas");
	else if (column->given)
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "%s: the first line has no column \"%s\"", column->option, column->given);
	else
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
		    "no column of the first line is the %s: say which is with %s, or give "
		    "--no-header where the first line is no header",
		    column->field, column->option);
	return false;
}

static bool
find_header(const struct cli_column *column, const struct cli_csv_record *first, int *place_r,
    GError **error)
{
	*place_r = COLUMN_NONE;
	for (guint i = 0; i < first->count; i++) {
		if (!is_named(column, first->fields[i]))
			continue;
		if (*place_r != COLUMN_NONE)
			return fail_twice(column, first->fields[*place_r], first->fields[i], error);
		*place_r = (int)i;
	}
	return *place_r != COLUMN_NONE || (!column->given && !column->required) ||
	       fail_missing(column, first, error);
}

static bool
find_number(const struct cli_column *column, const struct cli_csv_record *first, int *place_r,
    GError **error)
{
	guint64 number;

	*place_r = COLUMN_NONE;
	if (!column->given && !column->required)
		return true;
	if (column->given &&
	    g_ascii_string_to_unsigned(column->given, 10, 1, first->count, &number, NULL)) {
		*place_r = (int)number - 1;
		return true;
	}
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s must be the number of a column, 1 to %u",
	    column->option, first->count);
	return false;
}

static bool
is_any_given(const struct cli_column *columns, guint count)
{
	for (guint i = 0; i < count; i++)
		if (columns[i].given)
			return true;
	return false;
}

/* No column can be two things. */
static bool
check_places(const struct cli_column *columns, guint count, const int *places, GError **error)
{
	for (guint i = 0; i < count; i++)
		for (guint j = 0; j < i; j++)
			if (places[i] != COLUMN_NONE && places[i] == places[j]) {
				g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
				    "one column is both the %s and the %s", columns[j].field,
				    columns[i].field);
				return false;
			}
	return true;
}

bool
cli_columns_find(const struct cli_column *columns, guint count, bool header,
    const struct cli_csv_record *first, int *places_r, GError **error)
{
	bool in_order = !header && !is_any_given(columns, count);

	for (guint i = 0; i < count; i++) {
		if (in_order)
			places_r[i] = i < first->count ? (int)i : COLUMN_NONE;
		else if (!(header ? find_header : find_number)(
			     &columns[i], first, &places_r[i], error))
			return false;
	}
	return check_places(columns, count, places_r, error);
}
