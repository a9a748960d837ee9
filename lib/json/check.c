/* Reads a document by the grammar of RFC 8259, and by the rules of our own that json-c has not:
 * json-c is far more lenient than either. */
#include "json/check.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "json/keys.h"
#include "json/plain.h"

struct check {
	const char *name; /* of the document, for the error */
	const char *start, *at, *end;
	gsize depth, values;
	struct json_keys *keys;
	GError **error;
};

static bool check_value(struct check *c);

static bool fail(struct check *c, const char *at, const char *format, ...) G_GNUC_PRINTF(3, 4);

static bool
fail(struct check *c, const char *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *problem = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(c->error, PH_ERROR, PH_ERROR_INVALID,
	    "%s is not valid JSON: %s at byte %" G_GSIZE_FORMAT, c->name, problem,
	    (gsize)(at - c->start));
	return false;
}

/* At the end of the text that is what is wrong, whatever was expected. */
static bool
fail_expected(struct check *c, const char *expected)
{
	if (c->at == c->end)
		return fail(c, c->at, "unexpected end");
	return fail(c, c->at, "expected %s", expected);
}

/* The next byte; NUL, which stands nowhere in JSON, at the end. */
static char
next(const struct check *c)
{
	return c->at < c->end ? *c->at : '\0';
}

static bool
take(struct check *c, char byte)
{
	if (next(c) != byte)
		return false;
	c->at++;
	return true;
}

static void
skip_space(struct check *c)
{
	while (c->at < c->end && memchr(" \t\n\r", *c->at, 4))
		c->at++;
}

/* Reads \uXXXX, which at points at; its code, or -1. */
static int
code_unit(const struct check *c, const char *at)
{
	int code = 0;

	if (c->end - at < 6 || at[0] != '\\' || at[1] != 'u')
		return -1;
	for (int i = 2; i < 6; i++) {
		if (!g_ascii_isxdigit(at[i]))
			return -1;
		code = code << 4 | g_ascii_xdigit_value(at[i]);
	}
	return code;
}

static bool
is_surrogate(int code, int first)
{
	return code >= first && code < first + 0x400;
}

static bool
check_escape(struct check *c)
{
	int code;

	if (c->end - c->at < 2)
		return fail(c, c->end, "unexpected end");
	if (memchr("\"\\/bfnrt", c->at[1], 8)) {
		c->at += 2;
		return true;
	}
	if (c->at[1] != 'u')
		return fail(c, c->at, "unknown escape");
	code = code_unit(c, c->at);
	if (code < 0)
		return fail(c, c->at, "\\u without four hexadecimal digits");
	if (is_surrogate(code, 0xdc00) ||
	    (is_surrogate(code, 0xd800) && !is_surrogate(code_unit(c, c->at + 6), 0xdc00)))
		return fail(c, c->at, "surrogate without its other half");
	c->at += is_surrogate(code, 0xd800) ? 12 : 6;
	return true;
}

static bool
check_string(struct check *c)
{
	c->at++;
	for (;;) {
		c->at += json_plain_length(c->at, (gsize)(c->end - c->at));
		if (c->at == c->end)
			return fail(c, c->at, "unexpected end");
		if (take(c, '"'))
			return true;
		if (*c->at != '\\')
			return fail(c, c->at, "control character that is not escaped");
		if (!check_escape(c))
			return false;
	}
}

static bool
digits(struct check *c)
{
	const char *start = c->at;

	while (g_ascii_isdigit(next(c)))
		c->at++;
	return c->at > start;
}

/* The functions of GLib read on to a byte that is no part of the number, so there must be one;
   where there is none the document is cut off. */
static bool
check_range(struct check *c, const char *start, bool whole)
{
	if (c->at == c->end)
		return fail(c, c->at, "unexpected end");
	errno = 0;
	if (whole) {
		g_ascii_strtoll(start, NULL, 10);
		if (errno == ERANGE)
			return fail(c, start, "integer that does not fit 64 bits");
	} else if (!isfinite(g_ascii_strtod(start, NULL))) {
		return fail(c, start, "number that is too large");
	}
	return true;
}

static bool
check_number(struct check *c)
{
	const char *start = c->at;
	bool whole = true;

	take(c, '-');
	if (!take(c, '0') && !digits(c))
		return fail_expected(c, "a digit");
	if (take(c, '.')) {
		whole = false;
		if (!digits(c))
			return fail_expected(c, "a digit");
	}
	if (take(c, 'e') || take(c, 'E')) {
		whole = false;
		if (!take(c, '+'))
			take(c, '-');
		if (!digits(c))
			return fail_expected(c, "a digit");
	}
	return check_range(c, start, whole);
}

static bool
check_word(struct check *c, const char *word)
{
	gsize size = strlen(word);

	if ((gsize)(c->end - c->at) < size || memcmp(c->at, word, size) != 0)
		return fail_expected(c, "a value");
	c->at += size;
	return true;
}

static bool
check_key(struct check *c)
{
	const char *key = c->at + 1;

	if (next(c) != '"')
		return fail_expected(c, "a key in double quotes");
	if (!check_string(c))
		return false;
	/* json-c keeps keys as C strings: it would cut this one short. */
	if (!json_keys_add(c->keys, key, (gsize)(c->at - key) - 1))
		return fail(c, key, "key with the character U+0000");
	return true;
}

static bool
check_member(struct check *c)
{
	skip_space(c);
	if (!check_key(c))
		return false;
	skip_space(c);
	if (!take(c, ':'))
		return fail_expected(c, "a colon");
	return check_value(c);
}

/* Names the key as it stands in the source, or its beginning where it is long. */
static bool
fail_repeated(struct check *c, const char *key, gsize size)
{
	gsize shown = MIN(size, 64);

	while (shown < size && shown > 0 && (key[shown] & 0xc0) == 0x80)
		shown--;
	return fail(c, key, "repeated key \"%.*s\"", (int)shown, key);
}

static bool
check_object(struct check *c)
{
	gsize mark = json_keys_mark(c->keys), size;
	const char *repeated;

	c->at++;
	skip_space(c);
	if (take(c, '}'))
		return true;
	do {
		if (!check_member(c))
			return false;
		skip_space(c);
	} while (take(c, ','));
	if (!take(c, '}'))
		return fail_expected(c, "a comma or a closing brace");
	repeated = json_keys_close(c->keys, mark, &size);
	return !repeated || fail_repeated(c, repeated, size);
}

static bool
check_array(struct check *c)
{
	c->at++;
	skip_space(c);
	if (take(c, ']'))
		return true;
	do {
		if (!check_value(c))
			return false;
		skip_space(c);
	} while (take(c, ','));
	return take(c, ']') || fail_expected(c, "a comma or a closing bracket");
}

static bool
check_nested(struct check *c)
{
	bool valid;

	if (c->depth == LIMIT_JSON_DEPTH)
		return fail(c, c->at, "more than %d levels of nesting", LIMIT_JSON_DEPTH);
	c->depth++;
	valid = *c->at == '{' ? check_object(c) : check_array(c);
	c->depth--;
	return valid;
}

static bool
check_value(struct check *c)
{
	skip_space(c);
	if (++c->values > LIMIT_JSON_VALUES)
		return fail(c, c->at, "more than %d values", LIMIT_JSON_VALUES);
	switch (next(c)) {
	case '{':
	case '[':
		return check_nested(c);
	case '"':
		return check_string(c);
	case 't':
		return check_word(c, "true");
	case 'f':
		return check_word(c, "false");
	case 'n':
		return check_word(c, "null");
	default:
		if (next(c) == '-' || g_ascii_isdigit(next(c)))
			return check_number(c);
		return fail_expected(c, "a value");
	}
}

static bool
check_encoding(struct check *c)
{
	const char *end;

	if (c->end - c->start >= 3 && memcmp(c->start, "\xef\xbb\xbf", 3) == 0)
		return fail(c, c->start, "byte order mark");
	if (g_utf8_validate_len(c->start, (gsize)(c->end - c->start), &end))
		return true;
	return fail(c, end, *end ? "invalid UTF-8" : "NUL");
}

bool
json_check(const char *name, const char *bytes, gsize size, gsize *end_r, GError **error)
{
	AUTO(json_keys) keys = json_keys_new();
	struct check c = {name, bytes, bytes, bytes + size, 0, 0, keys, error};

	if (!check_encoding(&c))
		return false;
	skip_space(&c);
	if (next(&c) != '{') {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s must be a JSON object%s", name,
		    c.at == c.end ? ", but is empty" : "");
		return false;
	}
	if (!check_value(&c))
		return false;
	*end_r = (gsize)(c.at - c.start);
	skip_space(&c);
	return c.at == c.end || fail(&c, c.at, "text after the object");
}
