/* SPDX-License-Identifier: MIT */
/* Fills the tables of posthouse-api(7) in from the description. These lines of the page are
   replaced:
       @routes                  all operations with their scopes
       @operation METHOD PATH   an operation's head, description, parameters and fields of the body
       @responses METHOD PATH   its replies with their texts; those that operations share ($ref) are
				left out
       @response NAME           the texts of a shared reply
       @members SCHEMA          the members of a schema
   Descriptions are CommonMark, of which paragraphs, `code` and lists of "- `word`: text" are known.
   "Section" of posthouse-api(7) becomes a reference within the page. The run fails when an
   operation has no place in the page, or when anything in a table has no description. */
#include <string.h>

#include "api/api_doc.h"
#include "json/value.h"

#define LINE_WIDTH 78

/* The bytes that stand for marks within a line of a description. */
#define BLANK '\001' /* within `code`, where no line may break */
#define OPEN '\002'  /* a reference within the page */
#define CLOSE '\003'

struct manual {
	GString *out;
	const struct json *document;
	GHashTable *names;  /* of fields and parameters, which have the macro of names */
	GHashTable *placed; /* "operation METHOD PATH" and "responses METHOD PATH" */
	GString *pending;   /* a line of prose that is not complete */
};

static void manual_write_members(struct manual *manual, const struct json *schema, bool in_answer);

static bool
manual_ends_with(const char *word, const char *set)
{
	return *word && strchr(set, word[strlen(word) - 1]);
}

/* Collects the names below a value: the members of each object whose own name ends with properties,
   and the names of parameters. */
static void
names_collect(struct manual *manual, const char *key, const struct json *value, bool is_parameter)
{
	struct json_iterator members = json_members(value);
	bool is_fields = g_str_has_suffix(key, "properties");
	const struct json *member;
	const char *name;

	is_parameter = is_parameter || strstr(key, "parameters");
	for (gsize i = 0; i < json_array_length(value); i++)
		names_collect(manual, "", json_array_at(value, i), is_parameter);
	while (json_iterator_next(&members, &name, &member)) {
		if (is_fields)
			g_hash_table_add(manual->names, (char *)name);
		if (is_parameter && strcmp(name, "name") == 0 && json_string(member, NULL))
			g_hash_table_add(manual->names, (char *)json_string(member, NULL));
		names_collect(manual, name, member, is_parameter);
	}
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

/* A line of text. */
static void
mdoc_write_line(GString *out, const char *line)
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

/* A word as the argument of a macro. The caller owns it. */
static char *
mdoc_argument(const char *text)
{
	g_autoptr(GString) word = g_string_new(NULL);

	mdoc_append_escaped(word, text, strlen(text));
	g_string_replace(word, "\"", "\\(dq", 0);
	if (manual_ends_with(word->str, "].,:;)?!"))
		g_string_insert(word, (gssize)word->len - 1, "\\&");
	else if (mdoc_is_special(word->str))
		g_string_prepend(word, "\\&");
	return strchr(word->str, ' ') ? g_strdup_printf("\"%s\"", word->str) : g_strdup(word->str);
}

static void
prose_flush(struct manual *manual)
{
	if (manual->pending->len > 0)
		mdoc_write_line(manual->out, manual->pending->str);
	g_string_truncate(manual->pending, 0);
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
prose_write_macro(struct manual *manual, const char *word, char opener, char closer)
{
	const char *open = strchr(word, opener), *close = strchr(open + 1, closer);
	g_autofree char *before = g_strndup(word, (gsize)(open - word));
	g_autofree char *inside =
	    close ? g_strndup(open + 1, (gsize)(close - open - 1)) : g_strdup("");

	if (!close || (*before && strcmp(before, "(") != 0))
		api_doc_fail("a blank is missing before %s", word);
	g_strdelimit(inside, (const char[]){BLANK, '\0'}, ' ');
	prose_flush(manual);
	g_autofree char *argument = mdoc_argument(inside);
	g_string_append_printf(manual->out, ".%s%s%s %s",
	    opener == OPEN				   ? "Sx"
	    : g_hash_table_contains(manual->names, inside) ? "Ic"
							   : "Li",
	    *before ? " " : "", before, argument);
	if (strspn(close + 1, ".,:;)?!") == strlen(close + 1)) {
		prose_write_marks(manual->out, close + 1);
	} else {
		g_autofree char *after = mdoc_argument(close + 1);

		g_string_append_printf(manual->out, " Ns %s", after);
	}
	g_string_append_c(manual->out, '\n');
}

/* "posthouse(1)," */
static void
prose_write_page(struct manual *manual, const char *word)
{
	const char *section = strchr(word, '(');

	prose_flush(manual);
	g_string_append_printf(manual->out, ".Xr %.*s %c", (int)(section - word), word, section[1]);
	prose_write_marks(manual->out, section + 3);
	g_string_append_c(manual->out, '\n');
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
prose_write_word(struct manual *manual, const char *word)
{
	if (strchr(word, '`')) {
		prose_write_macro(manual, word, '`', '`');
		return;
	}
	if (strchr(word, OPEN)) {
		prose_write_macro(manual, word, OPEN, CLOSE);
		return;
	}
	if (g_regex_match_simple("^[a-z.-]+\\([1-8]\\)[.,:;)]*$", word, 0, 0)) {
		prose_write_page(manual, word);
		return;
	}
	if (manual->pending->len + strlen(word) > LINE_WIDTH)
		prose_flush(manual);
	if (manual->pending->len > 0)
		g_string_append_c(manual->pending, ' ');
	g_string_append(manual->pending, word);
	if (g_regex_match_simple("[.!?][)\"]*$", word, 0, 0))
		prose_flush(manual);
}

static void
prose_write_line(struct manual *manual, const char *line)
{
	g_autofree char *referred =
	    mark_replace(line, "\"([A-Z][A-Za-z ]*)\" of posthouse-api\\(7\\)", mark_reference);
	g_autofree char *marked = mark_replace(referred, "`[^`]*`", mark_code);
	g_auto(GStrv) words = g_strsplit(marked, " ", -1);

	for (guint i = 0; words[i]; i++)
		if (*words[i])
			prose_write_word(manual, words[i]);
	prose_flush(manual);
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
list_begin(struct manual *manual, char **lines)
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
	g_string_append_printf(manual->out, ".Bl -tag -width %s -compact\n", widest);
}

static void
prose_write(struct manual *manual, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
	bool in_list = false;

	for (guint i = 0; lines[i]; i++) {
		bool is_item = list_has(lines[i]);

		if (is_item && !in_list)
			list_begin(manual, lines + i);
		else if (in_list && !is_item)
			g_string_append(manual->out, ".El\n");
		in_list = is_item;
		if (is_item) {
			const char *rest;
			g_autofree char *tag = list_tag(lines[i], &rest);

			g_string_append_printf(manual->out, ".It Li %s\n", tag);
			prose_write_line(manual, rest);
		} else if (*lines[i]) {
			prose_write_line(manual, lines[i]);
		} else {
			g_string_append(manual->out, ".Pp\n");
		}
	}
	if (in_list)
		g_string_append(manual->out, ".El\n");
}

/* A member as text: a string, or what stands there; "" for none. */
static const char *
manual_text(const struct json *object, const char *key)
{
	const struct json *member = json_member_get(object, key);

	switch (json_kind(member)) {
	case JSON_STRING:
		return json_string(member, NULL);
	case JSON_BOOLEAN:
		return json_boolean(member) ? "true" : "false";
	case JSON_INTEGER:
	case JSON_NUMBER:
		return json_number_text(member);
	case JSON_NULL:
		return json_member_has(object, key) ? "null" : "";
	default:
		return "";
	}
}

/* The description of a schema, or of the one that it refers to; "" where there is none. */
static const char *
schema_description(const struct manual *manual, const struct json *schema)
{
	const char *own = api_doc_text(schema, "description");

	return own ? own : manual_text(api_doc_resolve(manual->document, schema), "description");
}

/* "1 to 100 characters"; NULL without limits. The caller owns it. */
static char *
type_range(const struct json *schema, const char *least, const char *most, const char *noun)
{
	if (!json_member_has(schema, most))
		return NULL;
	if (json_member_has(schema, least))
		return g_strdup_printf(
		    "%s to %s %s", manual_text(schema, least), manual_text(schema, most), noun);
	return g_strdup_printf("at most %s %s", manual_text(schema, most), noun);
}

/* "at most 10 MB"; NULL without a limit. The caller owns it. */
static char *
type_bytes(const struct json *schema)
{
	gint64 count = json_integer(json_member_get(schema, "x-maxBytes"));
	bool is_mb = count % 1048576 == 0, is_kb = count % 1024 == 0;

	if (count == 0)
		return NULL;
	return g_strdup_printf("at most %" G_GINT64_FORMAT " %s",
	    is_mb   ? count / 1048576
	    : is_kb ? count / 1024
		    : count,
	    is_mb   ? "MB"
	    : is_kb ? "KB"
		    : "bytes");
}

/* The type by this name with its limits. The caller owns it. */
static char *
type_name(const struct json *schema, const char *type)
{
	static const struct {
		const char *type, *word, *least, *most, *noun;
	} known[] = {
	    {"string", "text", "minLength", "maxLength", "characters"},
	    {"array", "list", "minItems", "maxItems", "items"},
	    {"", "object", "minProperties", "maxProperties", "members"},
	};
	guint i = 0;

	if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0 ||
	    strcmp(type, "boolean") == 0)
		return g_strdup(type);
	while (*known[i].type && strcmp(known[i].type, type) != 0)
		i++;
	g_autofree char *range = type_range(schema, known[i].least, known[i].most, known[i].noun);
	g_autofree char *bytes = type_bytes(schema);
	return g_strconcat(known[i].word, range || bytes ? " of " : "", range ? range : "",
	    range && bytes ? " and " : "", bytes ? bytes : "", NULL);
}

static void
type_append_or(GString *list, const char *word)
{
	if (list->len > 0 && *word)
		g_string_append(list, " or ");
	g_string_append(list, word);
}

/* The values of an enum, but for null, with "or" before the last one unless more follows. */
static void
type_append_values(GString *out, const struct json *values, bool is_open)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new();

	for (gsize i = 0; i < json_array_length(values); i++) {
		const struct json *value = json_array_at(values, i);

		if (value)
			g_ptr_array_add(
			    texts, (gpointer)(json_string(value, NULL) ? json_string(value, NULL)
								       : json_number_text(value)));
	}
	for (guint i = 0; i < texts->len; i++) {
		if (i > 0)
			g_string_append(out, i + 1 == texts->len && !is_open ? " or " : ", ");
		g_string_append(out, texts->pdata[i]);
	}
}

static char *type_words(const struct manual *manual, const struct json *schema, bool in_answer);

/* Writes the kinds that a schema may have beside one another. Whether null is one of them. */
static bool
type_append_choices(
    const struct manual *manual, GString *out, const struct json *choices, bool in_answer)
{
	bool has_null = false;

	for (gsize i = 0; i < json_array_length(choices); i++) {
		const struct json *one = json_array_at(choices, i);

		if (g_strcmp0(api_doc_text(one, "type"), "null") == 0) {
			has_null = true;
		} else {
			g_autofree char *words = type_words(manual, one, in_answer);

			type_append_or(out, words);
		}
	}
	return has_null;
}

/* The same for the names of types. */
static bool
type_append_names(GString *out, const struct json *schema)
{
	const struct json *types = json_member_get(schema, "type");
	bool has_null = false;

	if (json_kind(types) != JSON_ARRAY) {
		g_autofree char *name = type_name(schema, manual_text(schema, "type"));

		g_string_append(out, name);
	}
	for (gsize i = 0; i < json_array_length(types); i++) {
		const char *type = json_string(json_array_at(types, i), NULL);
		g_autofree char *name = type_name(schema, type);

		if (strcmp(type, "null") == 0)
			has_null = true;
		else
			type_append_or(out, name);
	}
	return has_null;
}

/* A type and its limits in words, "text of at most 100 characters or null". Null stands in answers
   alone. The caller owns it. */
static char *
type_words(const struct manual *manual, const struct json *schema, bool in_answer)
{
	g_autoptr(GString) words = g_string_new(NULL);
	bool has_null;

	schema = api_doc_resolve(manual->document, schema);
	if (json_member_has(schema, "anyOf")) {
		has_null =
		    type_append_choices(manual, words, json_member_get(schema, "anyOf"), in_answer);
	} else {
		has_null = type_append_names(words, schema);
		if (json_member_has(schema, "enum") &&
		    !strstr(manual_text(schema, "description"), "- `")) {
			g_string_truncate(words, 0);
			type_append_values(
			    words, json_member_get(schema, "enum"), in_answer && has_null);
		}
	}
	if (in_answer && has_null)
		type_append_or(words, "null");
	return g_strdup(words->str);
}

static bool
schema_requires(const struct json *schema, const char *key)
{
	const struct json *required = json_member_get(schema, "required");

	for (gsize i = 0; i < json_array_length(required); i++)
		if (strcmp(json_string(json_array_at(required, i), NULL), key) == 0)
			return true;
	return false;
}

/* The parentheses behind a name. The caller owns it. */
static char *
schema_summary(
    const struct manual *manual, const struct json *schema, const char *words, bool in_answer)
{
	g_autofree char *type = type_words(manual, schema, in_answer);
	bool has_default = json_member_has(schema, "default");

	return g_strconcat(words, *words ? "; " : "", type, has_default ? "; " : "",
	    has_default ? manual_text(schema, "default") : "", has_default ? " if not given" : "",
	    NULL);
}

/* The object whose members a member has, when it is written in its place; else NULL. */
static const struct json *
schema_inner(const struct json *schema)
{
	if (json_member_has(schema, "items"))
		schema = json_member_get(schema, "items");
	return json_member_has(schema, "properties") ? schema : NULL;
}

/* One member of an object, and its parentheses. */
struct item {
	const char *name;
	const struct json *schema;
	char *words;
};

static void
item_free(void *data)
{
	struct item *item = data;

	g_free(item->words);
	g_free(item);
}

/* The caller owns it. */
static GPtrArray *
items_read(const struct manual *manual, const struct json *schema, bool in_answer)
{
	struct json_iterator members = json_members(json_member_get(schema, "properties"));
	GPtrArray *items = g_ptr_array_new_with_free_func(item_free);
	const struct json *one;
	const char *name;

	while (json_iterator_next(&members, &name, &one)) {
		bool is_required = !in_answer && schema_requires(schema, name);
		struct item *item = g_new(struct item, 1);

		if (!*schema_description(manual, one))
			api_doc_fail("no description: %s", name);
		*item = (struct item){name, one,
		    schema_summary(manual, one, is_required ? "required" : "", in_answer)};
		g_ptr_array_add(items, item);
	}
	return items;
}

/* Whether two neighbours have one text. */
static bool
items_are_one(const struct manual *manual, const struct item *item, const struct item *next)
{
	return strcmp(item->words, next->words) == 0 && !schema_inner(item->schema) &&
	       strcmp(schema_description(manual, item->schema),
		   schema_description(manual, next->schema)) == 0;
}

/* Writes the members of an object as items of a list. Neighbours of the same type and description
   share one. */
static void
manual_write_items(struct manual *manual, const struct json *schema, bool in_answer)
{
	g_autoptr(GPtrArray) items = items_read(manual, schema, in_answer);
	g_autoptr(GString) tag = g_string_new(NULL);

	for (guint i = 0; i < items->len; i++) {
		const struct item *item = items->pdata[i];
		g_autofree char *name = mdoc_argument(item->name);

		g_string_append_printf(tag, "%s%s", tag->len > 0 ? " , " : "", name);
		if (i + 1 < items->len && items_are_one(manual, item, items->pdata[i + 1]))
			continue;
		g_string_append_printf(manual->out, ".It Ic %s Pq %s\n", tag->str, item->words);
		g_string_truncate(tag, 0);
		prose_write(manual, schema_description(manual, item->schema));
		if (schema_inner(item->schema))
			manual_write_members(manual, schema_inner(item->schema), in_answer);
	}
}

static void
manual_write_members(struct manual *manual, const struct json *schema, bool in_answer)
{
	g_string_append(manual->out, ".Bl -tag -width Ds\n");
	manual_write_items(manual, schema, in_answer);
	g_string_append(manual->out, ".El\n");
}

static const struct json *
manual_operation(const struct manual *manual, const char *method, const char *path)
{
	g_autofree char *key = g_ascii_strdown(method, -1);
	const struct json *operation =
	    json_member_get(json_member_get(json_member_get(manual->document, "paths"), path), key);

	if (!operation)
		api_doc_fail("no operation %s %s", method, path);
	return operation;
}

/* Notes that a part of an operation has its place in the page; a second one is a fault. */
static void
manual_place(struct manual *manual, const char *part, const char *method, const char *path)
{
	char *place = g_strdup_printf("%s %s %s", part, method, path);

	if (!g_hash_table_add(manual->placed, place))
		api_doc_fail("twice in man/posthouse-api.7.in: @%s %s %s", part, method, path);
}

/* Whether a parameter is that of this operation alone, and not of the path. The prose tells once of
   parameters that operations share, and the description tells of those of the path. */
static bool
parameter_is_own(const struct json *parameter)
{
	return !json_member_has(parameter, "$ref") &&
	       strcmp(manual_text(parameter, "in"), "path") != 0;
}

static void
manual_write_parameter(struct manual *manual, const struct json *parameter)
{
	bool in_query = strcmp(manual_text(parameter, "in"), "query") == 0;
	bool is_required = json_boolean(json_member_get(parameter, "required"));
	g_autofree char *words = g_strconcat(
	    "in the ", in_query ? "query" : "header", is_required ? "; required" : "", NULL);
	g_autofree char *name = mdoc_argument(manual_text(parameter, "name"));
	g_autofree char *summary =
	    schema_summary(manual, json_member_get(parameter, "schema"), words, false);

	g_string_append_printf(manual->out, ".It Ic %s Pq %s\n", name, summary);
	prose_write(manual, manual_text(parameter, "description"));
}

static void
manual_write_operation(struct manual *manual, const char *method, const char *path)
{
	const struct json *operation = manual_operation(manual, method, path);
	const struct json *parameters = json_member_get(operation, "parameters");
	const struct json *content =
	    json_member_get(json_member_get(operation, "requestBody"), "content");
	const struct json *body = api_doc_resolve(manual->document,
	    json_member_get(json_member_get(content, "application/json"), "schema"));
	const char *scope = api_doc_text(operation, "x-scope");
	bool has_items = body != NULL;

	manual_place(manual, "operation", method, path);
	if (!json_member_has(operation, "description"))
		api_doc_fail("no description: %s %s", method, path);
	g_string_append_printf(manual->out, ".It Ic %s %s Pq %s%s\n", method, path,
	    scope ? "scope Cm " : "no key", scope ? scope : "");
	prose_write(manual, manual_text(operation, "description"));
	for (gsize i = 0; i < json_array_length(parameters); i++)
		has_items = has_items || parameter_is_own(json_array_at(parameters, i));
	if (!has_items)
		return;
	g_string_append(manual->out, ".Bl -tag -width Ds\n");
	for (gsize i = 0; i < json_array_length(parameters); i++)
		if (parameter_is_own(json_array_at(parameters, i)))
			manual_write_parameter(manual, json_array_at(parameters, i));
	if (body)
		manual_write_items(manual, body, false);
	g_string_append(manual->out, ".El\n");
}

static const char *
example_text(const struct json *value, const char *key)
{
	const char *text = api_doc_text(value, key);

	return text ? text : "";
}

/* Writes the texts of the examples of a reply: the message, with the code or the details in
   parentheses. */
static void
manual_write_texts(struct manual *manual, const struct json *response)
{
	const struct json *type =
	    json_member_at(json_member_get(response, "content"), 0, &(const char *){NULL});
	struct json_iterator examples = json_members(json_member_get(type, "examples"));
	const struct json *example;
	const char *name;
	bool has_texts = false;

	while (json_iterator_next(&examples, &name, &example)) {
		const struct json *value = json_member_get(example, "value");
		g_autofree char *more =
		    g_strconcat(example_text(value, "code"), example_text(value, "details"), NULL);
		g_autofree char *line = g_strconcat(example_text(value, "message"),
		    example_text(value, "error"), *more ? " (" : "", more, *more ? ")" : "", NULL);

		if (!*line)
			continue;
		g_autoptr(GString) text = g_string_new(line);
		g_string_replace(text, "\r\n", "\n", 0); /* in the example of a message */
		if (!has_texts)
			g_string_append(manual->out, ".Bd -literal -compact\n");
		has_texts = true;
		mdoc_write_line(manual->out, text->str);
	}
	if (has_texts)
		g_string_append(manual->out, ".Ed\n");
}

/* 500 and 503 are the same everywhere. */
static void
manual_write_responses(struct manual *manual, const char *method, const char *path)
{
	struct json_iterator responses =
	    json_members(json_member_get(manual_operation(manual, method, path), "responses"));
	const struct json *response;
	const char *status;

	manual_place(manual, "responses", method, path);
	g_string_append(manual->out, ".Pp\n.Bl -tag -width 400 -compact\n");
	while (json_iterator_next(&responses, &status, &response)) {
		if (json_member_has(response, "$ref") || strcmp(status, "500") >= 0)
			continue;
		g_string_append_printf(manual->out, ".It %s\n", status);
		prose_write(manual, manual_text(response, "description"));
		manual_write_texts(manual, response);
	}
	g_string_append(manual->out, ".El\n");
}

/* Calls a function for each operation. */
static void
manual_walk(struct manual *manual, void (*each)(struct manual *manual, const char *method,
				       const char *path, const struct json *operation))
{
	struct json_iterator paths = json_members(json_member_get(manual->document, "paths"));
	const struct json *methods, *operation;
	const char *path, *key;

	while (json_iterator_next(&paths, &path, &methods)) {
		struct json_iterator members = json_members(methods);

		while (json_iterator_next(&members, &key, &operation)) {
			g_autofree char *method = g_ascii_strup(key, -1);

			each(manual, method, path, operation);
		}
	}
}

static void
manual_write_route(
    struct manual *manual, const char *method, const char *path, const struct json *operation)
{
	const char *scope = api_doc_text(operation, "x-scope");

	g_string_append_printf(manual->out, ".It Ic %s %s Ta %s%s\n", method, path,
	    scope ? "Cm " : "no key", scope ? scope : "");
}

static void
manual_expect_placed(
    struct manual *manual, const char *method, const char *path, const struct json *operation)
{
	static const char *const parts[] = {"operation", "responses"};

	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		g_autofree char *place = g_strdup_printf("%s %s %s", parts[i], method, path);

		if (!g_hash_table_contains(manual->placed, place))
			api_doc_fail("not in man/posthouse-api.7.in: @%s", place);
	}
}

static void
manual_write_schema(struct manual *manual, const char *name)
{
	const struct json *schema = json_member_get(
	    json_member_get(json_member_get(manual->document, "components"), "schemas"), name);

	if (!json_member_has(schema, "properties"))
		api_doc_fail("no schema %s", name);
	manual_write_members(manual, schema,
	    !g_str_has_prefix(name, "New") && !g_str_has_prefix(name, "Attachment"));
}

static void
manual_write_shared(struct manual *manual, const char *name)
{
	manual_write_texts(manual,
	    json_member_get(
		json_member_get(json_member_get(manual->document, "components"), "responses"),
		name));
}

/* Writes what a line with @ stands for. */
static void
manual_replace(struct manual *manual, const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	guint count = g_strv_length(words);

	if (count == 1 && strcmp(words[0], "@routes") == 0) {
		g_string_append(manual->out,
		    ".Bl -column \"DELETE /v1/audiences/{id}/contacts/{contact}\"\n"
		    ".It Sy Operation Ta Sy Scope\n");
		manual_walk(manual, manual_write_route);
		g_string_append(manual->out, ".El\n");
	} else if (count == 3 && strcmp(words[0], "@operation") == 0) {
		manual_write_operation(manual, words[1], words[2]);
	} else if (count == 3 && strcmp(words[0], "@responses") == 0) {
		manual_write_responses(manual, words[1], words[2]);
	} else if (count == 2 && strcmp(words[0], "@response") == 0) {
		manual_write_shared(manual, words[1]);
	} else if (count == 2 && strcmp(words[0], "@members") == 0) {
		manual_write_schema(manual, words[1]);
	} else {
		api_doc_fail("unknown: %s", line);
	}
}

void
api_doc_manual(GString *out, const struct json *document, const char *page)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GHashTable) placed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GString) pending = g_string_new(NULL);
	struct manual manual = {out, document, names, placed, pending};
	g_auto(GStrv) lines = g_strsplit(page, "\n", -1);

	names_collect(&manual, "", document, false);
	g_string_append(out, ".\\\" Made by api_doc from api/*.json and man/posthouse-api.7.in.\n");
	for (guint i = 0; lines[i] && lines[i + 1]; i++)
		if (*lines[i] == '@')
			manual_replace(&manual, lines[i]);
		else
			g_string_append_printf(out, "%s\n", lines[i]);
	manual_walk(&manual, manual_expect_placed);
}
