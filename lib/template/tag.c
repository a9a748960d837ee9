/* SPDX-License-Identifier: MIT */
/* Reads the tags of templates. */
#include "template/tag.h"

#include <string.h>

#include "template/filter.h"

#define TOO_LONG "the name of a variable is longer than 100 characters"
#define NO_NAME "\"{{\" is not followed by the name of a variable"
#define BAD_NAME "names of variables are letters, digits, \"_\", \".\" and \"-\""

static bool
tag_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool
tag_is_space(char c)
{
	return tag_is_blank(c) || c == '\n' || c == '\r';
}

static bool
tag_is_name(char c)
{
	return g_ascii_isalnum(c) || c == '_' || c == '.' || c == '-';
}

static const char *
skip_blanks(const char *p, const char *end)
{
	while (p < end && tag_is_blank(*p))
		p++;
	return p;
}

static const char *
skip_spaces(const char *p, const char *end)
{
	while (p < end && tag_is_space(*p))
		p++;
	return p;
}

static bool
starts(const char *p, const char *end, const char *with)
{
	gsize size = strlen(with);

	return (gsize)(end - p) >= size && memcmp(p, with, size) == 0;
}

static bool
is_two_braces(const char *p, const char *end)
{
	return (*p == '{' || *p == '}') && end - p >= 2 && p[1] == *p;
}

/* Whether the word is at p, and no letter behind it. */
static bool
tag_is_word(const char *p, const char *end, const char *word)
{
	gsize size = strlen(word);

	return starts(p, end, word) && (p + size == end || !tag_is_name(p[size]));
}

/* Reads the fallback at p into *tag, without the blanks around it, and returns its end: braces,
   a line break or the end of the source. */
static const char *
read_fallback(const char *p, const char *end, struct template_tag *tag)
{
	p = skip_blanks(p, end);
	tag->fallback = p;
	while (p < end && *p != '\n' && *p != '\r' && !is_two_braces(p, end))
		p++;
	const char *last = p;
	while (last > tag->fallback && tag_is_blank(last[-1]))
		last--;
	tag->fallback_size = last - tag->fallback;
	return p;
}

/* Reads the name at *p. NULL, or its fault. */
static const char *
tag_read_name(const char **p, const char *end, struct template_path *path)
{
	const char *name = *p;

	while (*p < end && tag_is_name(**p) && *p - name <= LIMIT_VARIABLE_NAME_LENGTH)
		(*p)++;
	if (*p == name)
		return NO_NAME;
	if (*p - name > LIMIT_VARIABLE_NAME_LENGTH)
		return TOO_LONG;
	memcpy(path->name, name, *p - name);
	path->name[*p - name] = '\0';
	return NULL;
}

/* Takes the first part off the name of a path. */
static void
tag_cut(struct template_path *path, gsize size)
{
	const char *rest = path->name + size + (path->name[size] == '.');

	memmove(path->name, rest, strlen(rest) + 1);
}

/* Reads the path behind "@". */
static const char *
read_data(const char **p, const char *end, struct template_path *path)
{
	static const char *const names[] = {[PATH_INDEX] = "index",
	    [PATH_KEY] = "key",
	    [PATH_FIRST] = "first",
	    [PATH_LAST] = "last"};
	const char *fault = tag_read_name(p, end, path);

	if (!fault && (strcmp(path->name, "root") == 0 || g_str_has_prefix(path->name, "root."))) {
		path->root = PATH_ROOT;
		tag_cut(path, strlen("root"));
		return NULL;
	}
	for (guint i = PATH_INDEX; !fault && i <= PATH_LAST; i++)
		if (strcmp(path->name, names[i]) == 0) {
			path->root = (enum template_root)i;
			return NULL;
		}
	return "\"@\" is not followed by root, index, key, first or last";
}

/* Reads the path at *p. NULL, or its fault. */
static const char *
tag_read_path(const char **p, const char *end, struct template_path *path)
{
	path->root = PATH_HERE;
	path->up = 0;
	if (*p < end && **p == '@') {
		(*p)++;
		return read_data(p, end, path);
	}
	for (; *p < end && **p == '.' && starts(*p, end, "../"); *p += strlen("../"))
		path->up++;
	const char *fault = tag_read_name(p, end, path);
	if (fault || path->up == 0)
		return fault;
	if (strcmp(path->name, "..") == 0) {
		path->up++;
		path->name[0] = '\0';
	} else if (strcmp(path->name, "this") == 0 || g_str_has_prefix(path->name, "this.")) {
		tag_cut(path, strlen("this"));
	}
	return NULL;
}

/* Reads the end of a tag at p. */
static const char *
read_end(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	const char *end = scanner->end;

	/* Most tags end like this. */
	if (!tag->raw && end - p >= 2 && p[0] == '}' && p[1] == '}') {
		tag->end = p + 2;
		return NULL;
	}
	if (tag->raw && p < end && *p == '}' && !scanner->plain)
		tag->strip_after = starts(p, end, "}~}}");
	else if (!scanner->plain)
		tag->strip_after = starts(p, end, "~}}");
	const char *want =
	    tag->raw ? (tag->strip_after ? "}~}}" : "}}}") : (tag->strip_after ? "~}}" : "}}");
	tag->end = p + strlen(want);
	if (starts(p, end, want))
		return NULL;
	return tag->raw ? "\"{{{\" is not closed by \"}}}\" on its line"
			: "\"{{\" is not closed by \"}}\" on its line";
}

static bool
is_at_end(const char *p, const char *end)
{
	return p == end || *p == '}' || *p == '~';
}

/* Reads the end of a tag that has no value. */
static const char *
tag_read_close(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	p = skip_spaces(p, scanner->end);
	if (p < scanner->end && !is_at_end(p, scanner->end))
		return "a tag has more than it may have in front of \"}}\"";
	return read_end(scanner, p, tag);
}

/* Reads the path of a block, and the end of its tag. */
static const char *
tag_read_condition(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	p = skip_spaces(p, scanner->end);
	if (is_at_end(p, scanner->end))
		return "a block has no variable behind its name";
	const char *fault = tag_read_path(&p, scanner->end, &tag->path);
	return fault ? fault : tag_read_close(scanner, p, tag);
}

static const char *
tag_read_filter(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	tag->kind = TAG_FILTER;
	const char *fault = tag_read_path(&p, scanner->end, &tag->path);
	if (!fault)
		fault = template_filter_read(&p, scanner->end, &tag->filter);
	return fault ? fault : tag_read_close(scanner, p, tag);
}

static bool
is_here(const struct template_path *path)
{
	return path->root == PATH_HERE && path->up == 0;
}

static bool
is_else(const struct template_scanner *scanner, const struct template_tag *tag)
{
	return tag->path.name[0] == 'e' && strcmp(tag->path.name, "else") == 0 && !tag->raw &&
	       !scanner->plain && is_here(&tag->path);
}

/* Reads what stands between the path of a reference, which ends at p, and its end. */
static const char *
read_arguments(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	const char *end = scanner->end, *blanks = skip_blanks(p, end), *next = skip_spaces(p, end);
	bool is_alone = next == p || is_at_end(next, end) || scanner->plain || !is_here(&tag->path);

	if (!is_alone && is_else(scanner, tag) && tag_is_word(next, end, "if")) {
		tag->kind = TAG_ELSE_IF;
		return tag_read_condition(scanner, next + strlen("if"), tag);
	}
	if (!is_alone && template_filter_named(tag->path.name, &tag->filter.kind))
		return tag_read_filter(scanner, next, tag);
	if (is_else(scanner, tag))
		tag->kind = TAG_ELSE;
	if (blanks < end && *blanks != '}' && *blanks != '\n' && *blanks != '\r' &&
	    (*blanks != '~' || scanner->plain))
		return BAD_NAME;
	return read_end(scanner, blanks, tag);
}

/* Reads the end of a reference, whose path has been read up to p. */
static const char *
read_behind_path(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	const char *end = scanner->end, *blanks = skip_blanks(p, end);

	if (blanks == end || (*blanks != '|' && *blanks != '}'))
		return read_arguments(scanner, p, tag);
	if (*blanks == '|')
		return read_end(scanner, read_fallback(blanks + 1, end, tag), tag);
	if (is_else(scanner, tag))
		tag->kind = TAG_ELSE;
	return read_end(scanner, blanks, tag);
}

/* Reads a tag that begins with a path, at p. */
static const char *
tag_read_value(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	const char *fault;

	tag->kind = TAG_VALUE;
	tag->path.root = PATH_HERE;
	tag->path.up = 0;
	p = skip_blanks(p, scanner->end);
	fault = scanner->plain ? tag_read_name(&p, scanner->end, &tag->path)
			       : tag_read_path(&p, scanner->end, &tag->path);
	return fault ? fault : read_behind_path(scanner, p, tag);
}

/* Finds the end of a comment that begins at p: "}}", or "--}}" for a long one. */
static const char *
read_comment(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	bool is_long = starts(p, scanner->end, "!--");
	const char **none = is_long ? &scanner->no_long_end : &scanner->no_end;
	const char *at = *none && p >= *none ? NULL : p;

	tag->kind = TAG_COMMENT;
	while (at && (at = memmem(at, scanner->end - at, "}}", 2))) {
		tag->strip_after = at[-1] == '~';
		const char *dashes = at - tag->strip_after;
		if (!is_long || (dashes - p >= 3 && memcmp(dashes - 2, "--", 2) == 0)) {
			tag->end = at + 2;
			return NULL;
		}
		at++;
	}
	*none = *none ? MIN(*none, p) : p;
	return is_long ? "\"{{!--\" is not closed by \"--}}\"" : "\"{{!\" is not closed by \"}}\"";
}

/* Reads the name of a block at *p. */
static bool
tag_read_block(const char **p, const char *end, enum template_tag_kind *kind)
{
	static const char *const names[] = {
	    [TAG_IF] = "if", [TAG_UNLESS] = "unless", [TAG_EACH] = "each"};

	*p = skip_spaces(*p, end);
	for (guint i = TAG_IF; i <= TAG_EACH; i++)
		if (tag_is_word(*p, end, names[i])) {
			*kind = (enum template_tag_kind)i;
			*p += strlen(names[i]);
			return true;
		}
	return false;
}

static const char *
tag_read_open(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	return tag_read_block(&p, scanner->end, &tag->kind)
		   ? tag_read_condition(scanner, p, tag)
		   : "\"{{#\" is not followed by if, unless or each";
}

static const char *
read_closing(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	tag->kind = TAG_CLOSE;
	return tag_read_block(&p, scanner->end, &tag->closes)
		   ? tag_read_close(scanner, p, tag)
		   : "\"{{/\" is not followed by if, unless or each";
}

static const char *
read_partial(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	const char *id = p = skip_spaces(p, scanner->end);

	tag->kind = TAG_PARTIAL;
	while (
	    p < scanner->end && tag_is_name(*p) && *p != '.' && p - id <= LIMIT_TEMPLATE_ID_LENGTH)
		p++;
	if (p == id || p - id > LIMIT_TEMPLATE_ID_LENGTH)
		return "\"{{>\" is not followed by the id of a template";
	memcpy(tag->path.name, id, p - id);
	tag->path.name[p - id] = '\0';
	return tag_read_close(scanner, p, tag);
}

/* Whether the braces at p are closed on their line, with no others between. */
static bool
is_closed(const char *p, const char *end)
{
	for (p += 2; p < end && *p != '\n' && *p != '\r'; p++)
		if (is_two_braces(p, end))
			return *p == '}';
	return false;
}

/* Takes the backslash in front of the braces at p, if there is one behind from. is_tag: the braces
   begin a tag. */
static bool
read_backslash(const struct template_scanner *scanner, const char *from, const char *p, bool is_tag,
    struct template_tag *tag)
{
	bool is_one = p > from && p[-1] == '\\' && !scanner->plain;
	bool is_two = is_one && p - 1 > from && p[-2] == '\\';

	if (!is_one || !(is_tag || (!is_two && is_closed(p, scanner->end))))
		return false;
	*tag = (struct template_tag){.kind = TAG_TEXT,
	    .start = p - 1,
	    .end = is_two ? p : p + 2,
	    .fallback = p,
	    .fallback_size = is_two ? 0 : 2};
	return true;
}

const char *
template_tag_read(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	const char *end = scanner->end;

	/* The rest is not cleared, to save time: a source can be made of braces alone. */
	tag->start = p;
	tag->fallback = NULL;
	tag->fallback_size = 0;
	tag->strip_before = tag->strip_after = false;
	p += 2;
	if (p < end && *p == '~' && !scanner->plain) {
		tag->strip_before = true;
		p++;
	}
	tag->raw = p < end && *p == '{';
	if (tag->raw)
		return tag_read_value(scanner, p + 1, tag);
	switch (p < end && !scanner->plain ? *p : '\0') {
	case '!':
		return read_comment(scanner, p, tag);
	case '#':
		return tag_read_open(scanner, p + 1, tag);
	case '/':
		return read_closing(scanner, p + 1, tag);
	case '>':
		return read_partial(scanner, p + 1, tag);
	default:
		return tag_read_value(scanner, p, tag);
	}
}

const char *
template_tag_braces(const char *p, const char *end)
{
	while (p < end && (p = memchr(p, '{', end - p))) {
		if (is_two_braces(p, end))
			return p;
		p++;
	}
	return NULL;
}

const char *
template_tag_take(
    struct template_scanner *scanner, const char *from, const char *p, struct template_tag *tag)
{
	const char *fault = template_tag_read(scanner, p, tag);

	return read_backslash(scanner, from, p, !fault, tag) ? NULL : fault;
}

bool
template_tag_find(struct template_scanner *scanner, const char *p, struct template_tag *tag)
{
	const char *from = p;

	while ((p = template_tag_braces(p, scanner->end))) {
		if (!template_tag_take(scanner, from, p, tag))
			return true;
		p++;
	}
	return false;
}

bool
template_tag_is_body(const struct template_tag *tag)
{
	return tag->kind == TAG_VALUE && tag->raw && is_here(&tag->path) &&
	       strcmp(tag->path.name, "body") == 0;
}
