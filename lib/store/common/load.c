/* SPDX-License-Identifier: MIT */
/* Loads a dump of a database: splits it into statements, and runs those that a dump needs. */
#include "store/common/load.h"

#include <string.h>

#include "base/error.h"
#include "db/statement.h"

#define STATEMENT_MAX ((gsize)1 << 30) /* max_allowed_packet has at most this */
#define SHOWN 60		       /* characters of a statement that is refused */

enum { SESSION };
/* As mariadb-dump sets them: rows come in any order, and have the ids that they had. */
static const char *const sql[] = {
    [SESSION] = "SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION',"
		" foreign_key_checks = 0, unique_checks = 0",
};

enum place {
	PLAIN,
	QUOTED,	 /* inside quotes */
	ESCAPED, /* behind a backslash in them */
	COMMENT,
	LINE, /* a comment to the end of the line */
};

struct store_load {
	struct db *db;
	GString *statement; /* up to here */
	enum place place;
	char quote, last;
};

struct store_load *
store_load_new(struct db *db, GError **error)
{
	if (!db_run_plain(db, sql[SESSION], error))
		return NULL;
	struct store_load *load = g_new0(struct store_load, 1);
	load->db = db;
	load->statement = g_string_new(NULL);
	return load;
}

void
store_load_free(struct store_load *load)
{
	g_string_free(load->statement, TRUE);
	g_free(load);
}

static bool
load_refuse(const char *statement, const char *why, GError **error)
{
	g_autofree char *head = g_strndup(statement, SHOWN);
	g_autofree char *valid = g_utf8_make_valid(head, -1);
	g_autofree char *shown = g_strescape(valid, "\"'`");

	return base_invalid(
	    error, "the dump of the database has %s, which no backup has: %s", why, shown);
}

/* The end of a quoted text that begins here; two quotes in a row go on with it. */
static const char *
quote_end(const char *text)
{
	char quote = *text++;

	while (*text && *text != quote)
		text += *text == '\\' && quote != '`' && text[1] ? 2 : 1;
	return *text ? text + 1 : text;
}

static bool
is_word_char(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '.' || c == '$' || (c & 0x80) != 0;
}

/* The next word or sign from *text_r on, which moves behind it: "" at the end. A quoted text is its
   quote. The caller owns it. */
static char *
next_token(const char **text_r)
{
	const char *text = *text_r + strspn(*text_r, " \t\r\n"), *end = text;

	if (*text == '\'' || *text == '"' || *text == '`') {
		*text_r = quote_end(text);
		return g_strndup(text, 1);
	}
	while (is_word_char(*end))
		end++;
	if (end == text && *text)
		end++;
	*text_r = end;
	return g_ascii_strup(text, end - text);
}

/* Whether a statement begins with these words; *rest_r is behind them. */
static bool
begins(const char *statement, const char *const *words, const char **rest_r)
{
	*rest_r = statement;
	for (; *words; words++) {
		g_autofree char *token = next_token(rest_r);

		if (strcmp(token, *words) != 0)
			return false;
	}
	return true;
}

/* Checks what follows the name of a table that is made. */
static bool
check_table(const char *statement, const char *rest, GError **error)
{
	static const char *const refused[] = {
	    "SELECT", "UNION", "DIRECTORY", "CONNECTION", "LOAD_FILE", "@", NULL};
	bool is_engine = false;

	while (*rest) {
		g_autofree char *token = next_token(&rest);

		if (g_strv_contains(refused, token) || *token == '.' ||
		    (!g_ascii_isdigit(*token) && strchr(token, '.')))
			return load_refuse(statement, "a table with other contents", error);
		if (is_engine && strcmp(token, "=") != 0) {
			if (strcmp(token, "INNODB") != 0)
				return load_refuse(statement, "a table of another engine", error);
			is_engine = false;
		}
		is_engine = is_engine || strcmp(token, "ENGINE") == 0;
	}
	return true;
}

/* Checks what follows the name of a table that gets rows: maybe names of columns, VALUES, and
   literals. */
static bool
check_rows(const char *statement, const char *rest, GError **error)
{
	bool has_values = false;

	for (const char *p = rest; *p;) {
		if (*p == '\'' || *p == '"' || (*p == '`' && !has_values)) {
			p = quote_end(p);
			continue;
		}
		if (strchr(" \t\r\n(),-+", *p)) {
			p++;
			continue;
		}
		const char *end = p;
		while (is_word_char(*end))
			end++;
		gsize size = (gsize)(end - p);
		bool is_values =
		    !has_values && size == 6 && g_ascii_strncasecmp(p, "VALUES", size) == 0;
		if (!is_values && !(size > 0 && g_ascii_isdigit(*p)) &&
		    !(size == 4 && g_ascii_strncasecmp(p, "NULL", size) == 0) &&
		    !(size == 7 && g_ascii_strncasecmp(p, "_binary", size) == 0))
			return load_refuse(statement, "rows that are no literals", error);
		has_values = has_values || is_values;
		p = end;
	}
	return true;
}

/* Runs a statement, if it is one of those that a dump needs. */
static bool
load_run(struct store_load *load, GError **error)
{
	static const char *const passed[][5] = {{"SET"}, {"LOCK", "TABLES"}, {"UNLOCK", "TABLES"},
	    {"COMMIT"}, {"DROP", "TABLE", "IF", "EXISTS"}};
	static const char *const create[] = {"CREATE", "TABLE", "`", NULL};
	static const char *const insert[] = {"INSERT", "INTO", "`", NULL};
	const char *text = load->statement->str, *rest;

	text += strspn(text, " \t\r\n");
	if (!*text)
		return true;
	for (gsize i = 0; i < G_N_ELEMENTS(passed); i++)
		if (begins(text, passed[i], &rest))
			return true;
	if (begins(text, create, &rest))
		return check_table(text, rest, error) && db_run_plain(load->db, text, error);
	if (begins(text, insert, &rest))
		return check_rows(text, rest, error) && db_run_plain(load->db, text, error);
	return load_refuse(text, "a statement", error);
}

/* Whether nothing but white space stands in front of the last characters. */
static bool
load_is_blank(const struct store_load *load, gsize last)
{
	const char *text = load->statement->str;

	return strspn(text, " \t\r\n") == load->statement->len - last;
}

/* Takes a character outside of quotes. */
static bool
take_plain(struct store_load *load, char c, GError **error)
{
	const char *text = load->statement->str;
	bool begins_comment = (c == '*' && load->last == '/') || (c == '-' && load->last == '-');

	if (c == '\'' || c == '"' || c == '`') {
		load->place = QUOTED;
		load->quote = c;
	} else if (c == ';') {
		g_string_truncate(load->statement, load->statement->len - 1);
		bool done = load_run(load, error);
		g_string_truncate(load->statement, 0);
		return done;
	} else if (c == '\\') {
		return load_refuse(text, "a command of the client", error);
	} else if (c == '#' || (begins_comment && !load_is_blank(load, 2))) {
		return load_refuse(text, "a comment in a statement", error);
	} else if (begins_comment) {
		load->place = c == '*' ? COMMENT : LINE;
	}
	return true;
}

static bool
take_char(struct store_load *load, char c, GError **error)
{
	if (c == '\0' || (c == '\\' && load->last == '\n'))
		return load_refuse(load->statement->str,
		    c ? "a line that begins with a backslash" : "a NUL byte", error);
	switch (load->place) {
	case PLAIN:
		return take_plain(load, c, error);
	case QUOTED:
		if (c == load->quote)
			load->place = PLAIN;
		else if (c == '\\' && load->quote != '`')
			load->place = ESCAPED;
		break;
	case ESCAPED:
		load->place = QUOTED;
		break;
	case COMMENT:
	case LINE:
		if (load->place == COMMENT ? c == '/' && load->last == '*' : c == '\n') {
			load->place = PLAIN;
			g_string_truncate(load->statement, 0);
		}
		break;
	}
	return true;
}

/* The number of bytes from here on that change nothing, as most of a dump: within quotes, letters
   and digits outside of them. */
static gsize
count_dull(const struct store_load *load, const char *text, gsize size)
{
	gsize count = 0;

	if (load->place == QUOTED)
		while (count < size && text[count] != load->quote && text[count] != '\\' &&
		       text[count] != '\0')
			count++;
	else if (load->place == PLAIN)
		while (count < size && g_ascii_isalnum(text[count]))
			count++;
	return count;
}

bool
store_load_take(struct store_load *load, const void *bytes, gsize size, GError **error)
{
	const char *text = bytes;

	while (size > 0) {
		gsize count = count_dull(load, text, size);

		if (load->statement->len + MAX(count, 1) > STATEMENT_MAX)
			return load_refuse(
			    load->statement->str, "a statement of over 1 GiB", error);
		if (count > 0) {
			g_string_append_len(load->statement, text, (gssize)count);
			load->last = text[count - 1];
		} else {
			count = 1;
			if (*text)
				g_string_append_c(load->statement, *text);
			if (!take_char(load, *text, error))
				return false;
			load->last = *text;
		}
		text += count;
		size -= count;
	}
	return true;
}

bool
store_load_end(struct store_load *load, GError **error)
{
	return (load->place == PLAIN && load_is_blank(load, 0)) ||
	       base_invalid(error, "the dump of the database ends inside a statement");
}
