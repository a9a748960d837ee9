/* Reads a document by the grammar of RFC 8259, and by the rules of our own that json-c has not:
 * json-c is far more lenient than either. */
#include "json/check.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "json/keys.h"
#include "json/scan.h"

struct check {
	struct json_scan scan;
	gsize depth, values;
	struct json_keys *keys;
};

static bool check_value(struct check *c);

static bool
check_key(struct check *c)
{
	const char *key = c->scan.at + 1;

	if (json_scan_next(&c->scan) != '"')
		return json_scan_expected(&c->scan, "a key in double quotes");
	if (!json_scan_string(&c->scan))
		return false;
	/* json-c keeps keys as C strings: it would cut this one short. */
	if (!json_keys_add(c->keys, key, (gsize)(c->scan.at - key) - 1))
		return json_scan_fail(&c->scan, key, "key with the character U+0000");
	return true;
}

static bool
check_member(struct check *c)
{
	json_scan_space(&c->scan);
	if (!check_key(c))
		return false;
	json_scan_space(&c->scan);
	if (!json_scan_take(&c->scan, ':'))
		return json_scan_expected(&c->scan, "a colon");
	return check_value(c);
}

/* Names the key as it stands in the source, or its beginning where it is long. */
static bool
fail_repeated(struct check *c, const char *key, gsize size)
{
	gsize shown = MIN(size, 64);

	while (shown < size && shown > 0 && (key[shown] & 0xc0) == 0x80)
		shown--;
	return json_scan_fail(&c->scan, key, "repeated key \"%.*s\"", (int)shown, key);
}

static bool
check_object(struct check *c)
{
	gsize mark = json_keys_mark(c->keys), size;
	const char *repeated;

	c->scan.at++;
	json_scan_space(&c->scan);
	if (json_scan_take(&c->scan, '}'))
		return true;
	do {
		if (!check_member(c))
			return false;
		json_scan_space(&c->scan);
	} while (json_scan_take(&c->scan, ','));
	if (!json_scan_take(&c->scan, '}'))
		return json_scan_expected(&c->scan, "a comma or a closing brace");
	repeated = json_keys_close(c->keys, mark, &size);
	return !repeated || fail_repeated(c, repeated, size);
}

static bool
check_array(struct check *c)
{
	c->scan.at++;
	json_scan_space(&c->scan);
	if (json_scan_take(&c->scan, ']'))
		return true;
	do {
		if (!check_value(c))
			return false;
		json_scan_space(&c->scan);
	} while (json_scan_take(&c->scan, ','));
	return json_scan_take(&c->scan, ']') ||
	       json_scan_expected(&c->scan, "a comma or a closing bracket");
}

static bool
check_nested(struct check *c)
{
	bool valid;

	if (c->depth == LIMIT_JSON_DEPTH)
		return json_scan_fail(
		    &c->scan, c->scan.at, "more than %d levels of nesting", LIMIT_JSON_DEPTH);
	c->depth++;
	valid = *c->scan.at == '{' ? check_object(c) : check_array(c);
	c->depth--;
	return valid;
}

static bool
check_value(struct check *c)
{
	json_scan_space(&c->scan);
	if (++c->values > LIMIT_JSON_VALUES)
		return json_scan_fail(
		    &c->scan, c->scan.at, "more than %d values", LIMIT_JSON_VALUES);
	switch (json_scan_next(&c->scan)) {
	case '{':
	case '[':
		return check_nested(c);
	case '"':
		return json_scan_string(&c->scan);
	case 't':
		return json_scan_word(&c->scan, "true");
	case 'f':
		return json_scan_word(&c->scan, "false");
	case 'n':
		return json_scan_word(&c->scan, "null");
	default:
		if (json_scan_next(&c->scan) == '-' || g_ascii_isdigit(json_scan_next(&c->scan)))
			return json_scan_number(&c->scan);
		return json_scan_expected(&c->scan, "a value");
	}
}

static bool
check_encoding(struct check *c)
{
	const char *end;

	if (c->scan.end - c->scan.start >= 3 && memcmp(c->scan.start, "\xef\xbb\xbf", 3) == 0)
		return json_scan_fail(&c->scan, c->scan.start, "byte order mark");
	if (g_utf8_validate_len(c->scan.start, (gsize)(c->scan.end - c->scan.start), &end))
		return true;
	return json_scan_fail(&c->scan, end, *end ? "invalid UTF-8" : "NUL");
}

bool
json_check(const char *name, const char *bytes, gsize size, bool *is_mangled_r, GError **error)
{
	AUTO(json_keys) keys = json_keys_new();
	struct check c = {{name, bytes, bytes, bytes + size, false, error}, 0, 0, keys};

	if (!check_encoding(&c))
		return false;
	json_scan_space(&c.scan);
	if (json_scan_next(&c.scan) != '{') {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s must be a JSON object%s", name,
		    c.scan.at == c.scan.end ? ", but is empty" : "");
		return false;
	}
	if (!check_value(&c))
		return false;
	*is_mangled_r = c.scan.is_mangled;
	json_scan_space(&c.scan);
	return c.scan.at == c.scan.end ||
	       json_scan_fail(&c.scan, c.scan.at, "text after the object");
}
