/* SPDX-License-Identifier: MIT */
/* Writes descriptions as mdoc(7). They are CommonMark, of which paragraphs, `code` and lists of
   "- `word`: text" are known. "Section" of posthouse-api(7) becomes a reference within the page. */
#include "api/prose.h"

#include <string.h>

#include "api/api_doc.h"

#define LINE_WIDTH 78

/* The bytes that stand for marks within a line of a description. */
#define BLANK '\001' /* within `code`, where no line may break */
#define OPEN '\002'  /* a reference within the page */
#define CLOSE '\003'

static bool
prose_ends_with(const char *word, const char *set)
{
	return *word && strchr(set, word[strlen(word) - 1]);
}

static void
mdoc_append_escaped(GString *out, const char *text, gsize size)
{
	for (gsize i = 0; i < size; i++)
		if (text[i] == '\\')
			g_string_append(out, "\\e");
		else
			g_string_append_c(out, text[i]);
}

void
api_doc_write_line(GString *out, const char *line)
{
	if (*line == '.' || *line == '\'')
		g_string_append(out, "\\&");
	mdoc_append_escaped(out, line, strlen(line));
	g_string_append_c(out, '\n');
}

/* Whether a macro would take the word for another macro, or for what stands before its argument. */
static bool
mdoc_is_special(const char *word)
{
	return (strlen(word) == 1 && strchr("[(|", *word)) ||
	       (strlen(word) == 2 && g_ascii_isupper(word[0]) && g_ascii_islower(word[1]));
}

char *
api_doc_argument(const char *text)
{
	g_autoptr(GString) word = g_string_new(NULL);

	mdoc_append_escaped(word, text, strlen(text));
	g_string_replace(word, "\"", "\\(dq", 0);
	if (prose_ends_with(word->str, "].,:;)?!"))
		g_string_insert(word, (gssize)word->len - 1, "\\&");
	else if (mdoc_is_special(word->str))
		g_string_prepend(word, "\\&");
	return strchr(word->str, ' ') ? g_strdup_printf("\"%s\"", word->str) : g_strdup(word->str);
}

static void
prose_flush(struct api_doc_prose *prose)
{
	if (prose->pending->len > 0)
		api_doc_write_line(prose->out, prose->pending->str);
	g_string_truncate(prose->pending, 0);
}

/* Writes punctuation as a macro has it: each behind a blank. */
static void
prose_write_marks(GString *out, const char *marks)
{
	for (; *marks; marks++)
		g_string_append_printf(out, " %c", *marks);
}

/* A word before and behind which punctuation may stand: "(`to`," is ".Ic ( to ,". */
static void
prose_write_macro(struct api_doc_prose *prose, const char *word, char opener, char closer)
{
	const char *open = strchr(word, opener), *close = strchr(open + 1, closer);
	g_autofree char *before = g_strndup(word, (gsize)(open - word));
	g_autofree char *inside =
	    close ? g_strndup(open + 1, (gsize)(close - open - 1)) : g_strdup("");

	if (!close || (*before && strcmp(before, "(") != 0))
		api_doc_fail("a blank is missing before %s", word);
	g_strdelimit(inside, (const char[]){BLANK, '\0'}, ' ');
	prose_flush(prose);
	g_autofree char *argument = api_doc_argument(inside);
	g_string_append_printf(prose->out, ".%s%s%s %s",
	    opener == OPEN				  ? "Sx"
	    : g_hash_table_contains(prose->names, inside) ? "Ic"
							  : "Li",
	    *before ? " " : "", before, argument);
	if (strspn(close + 1, ".,:;)?!") == strlen(close + 1)) {
		prose_write_marks(prose->out, close + 1);
	} else {
		g_autofree char *after = api_doc_argument(close + 1);

		g_string_append_printf(prose->out, " Ns %s", after);
	}
	g_string_append_c(prose->out, '\n');
}

/* "posthouse(1)," */
static void
prose_write_page(struct api_doc_prose *prose, const char *word)
{
	const char *section = strchr(word, '(');

	prose_flush(prose);
	g_string_append_printf(prose->out, ".Xr %.*s %c", (int)(section - word), word, section[1]);
	prose_write_marks(prose->out, section + 3);
	g_string_append_c(prose->out, '\n');
}

static gboolean
mark_reference(const GMatchInfo *match, GString *out, gpointer data)
{
	g_autofree char *section = g_match_info_fetch(match, 1);

	g_strdelimit(section, " ", BLANK);
	g_string_append_printf(out, "%c%s%c", OPEN, section, CLOSE);
	return FALSE;
}

static gboolean
mark_code(const GMatchInfo *match, GString *out, gpointer data)
{
	g_autofree char *code = g_match_info_fetch(match, 0);

	g_strdelimit(code, " ", BLANK);
	g_string_append(out, code);
	return FALSE;
}

static char *
mark_replace(const char *line, const char *pattern, GRegexEvalCallback replace)
{
	g_autoptr(GRegex) regex = g_regex_new(pattern, 0, 0, NULL);

	return g_regex_replace_eval(regex, line, -1, 0, 0, replace, NULL, NULL);
}

static void
prose_write_word(struct api_doc_prose *prose, const char *word)
{
	if (strchr(word, '`')) {
		prose_write_macro(prose, word, '`', '`');
		return;
	}
	if (strchr(word, OPEN)) {
		prose_write_macro(prose, word, OPEN, CLOSE);
		return;
	}
	if (g_regex_match_simple("^[a-z.-]+\\([1-8]\\)[.,:;)]*$", word, 0, 0)) {
		prose_write_page(prose, word);
		return;
	}
	if (prose->pending->len + strlen(word) > LINE_WIDTH)
		prose_flush(prose);
	if (prose->pending->len > 0)
		g_string_append_c(prose->pending, ' ');
	g_string_append(prose->pending, word);
	if (g_regex_match_simple("[.!?][)\"]*$", word, 0, 0))
		prose_flush(prose);
}

static void
prose_write_line(struct api_doc_prose *prose, const char *line)
{
	g_autofree char *referred =
	    mark_replace(line, "\"([A-Z][A-Za-z ]*)\" of posthouse-api\\(7\\)", mark_reference);
	g_autofree char *marked = mark_replace(referred, "`[^`]*`", mark_code);
	g_auto(GStrv) words = g_strsplit(marked, " ", -1);

	for (guint i = 0; words[i]; i++)
		if (*words[i])
			prose_write_word(prose, words[i]);
	prose_flush(prose);
}

static bool
list_has(const char *line)
{
	return g_str_has_prefix(line, "- ");
}

/* The words of "- `a`, `b`: text" as a tag: "a , b". text_r: behind it. The caller owns the tag. */
static char *
list_tag(const char *line, const char **text_r)
{
	const char *end = strstr(line, "`: ");

	if (!end)
		api_doc_fail("an item has no `word`: %s", line);
	g_autoptr(GString) tag = g_string_new_len(line + 2, end - line - 2);
	g_string_replace(tag, "`", "", 0);
	g_string_replace(tag, ",", " ,", 0);
	*text_r = end + strlen("`: ");
	return g_strdup(tag->str);
}

/* Begins the list whose items are these lines: it is as wide as the widest tag. */
static void
list_begin(struct api_doc_prose *prose, char **lines)
{
	g_autofree char *widest = g_strdup("");

	for (; *lines && list_has(*lines); lines++) {
		const char *text;
		g_autofree char *tag = list_tag(*lines, &text);

		if (strlen(tag) > strlen(widest)) {
			g_free(widest);
			widest = g_steal_pointer(&tag);
		}
	}
	g_strdelimit(widest, " ", '_');
	g_string_append_printf(prose->out, ".Bl -tag -width %s -compact\n", widest);
}

void
api_doc_write_prose(struct api_doc_prose *prose, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
	bool in_list = false;

	for (guint i = 0; lines[i]; i++) {
		bool is_item = list_has(lines[i]);

		if (is_item && !in_list)
			list_begin(prose, lines + i);
		else if (in_list && !is_item)
			g_string_append(prose->out, ".El\n");
		in_list = is_item;
		if (is_item) {
			const char *rest;
			g_autofree char *tag = list_tag(lines[i], &rest);

			g_string_append_printf(prose->out, ".It Li %s\n", tag);
			prose_write_line(prose, rest);
		} else if (*lines[i]) {
			prose_write_line(prose, lines[i]);
		} else {
			g_string_append(prose->out, ".Pp\n");
		}
	}
	if (in_list)
		g_string_append(prose->out, ".El\n");
}
