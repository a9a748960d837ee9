/* Turns a text into a tree, by json-c, once it has been found to be strictly JSON. */
#include "json/strict.h"

#include <json-c/json.h>

#include "base/error.h"
#include "base/limits.h"
#include "json/check.h"
#include "json/escape.h"

/* json-c's own checks are off but for the grammar: json_check has been stricter. It counts a scalar
   as a level. */
static struct json_object *
build(const char *bytes, gsize size, enum json_tokener_error *fault_r)
{
	struct json_tokener *tokener = json_tokener_new_ex(LIMIT_JSON_DEPTH + 1);
	struct json_object *root;

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	root = json_tokener_parse_ex(tokener, bytes, (int)size);
	*fault_r = json_tokener_get_error(tokener);
	json_tokener_free(tokener);
	return root;
}

/* json-c (pull request 893) takes a character such as U+1D800, whose last four digits are those of
   a surrogate, for half of one where it is escaped. So it gets that text without such escapes. */
static struct json_object *
build_spelled_out(const char *bytes, gsize size, enum json_tokener_error *fault_r)
{
	g_autoptr(GString) text = g_string_sized_new(size);

	json_escape_resolve(bytes, size, ESCAPE_PAIRS, text);
	return build(text->str, text->len, fault_r);
}

struct json *
json_parse_as(const char *name, const char *bytes, gsize size, GError **error)
{
	enum json_tokener_error fault;
	struct json_object *root;
	bool is_mangled;

	if (size > G_MAXINT) {
		g_set_error(error, PH_ERROR, PH_ERROR_TOO_LARGE, "%s is larger than 2 GiB", name);
		return NULL;
	}
	if (!json_check(name, bytes, size, &is_mangled, error))
		return NULL;
	root = is_mangled ? build_spelled_out(bytes, size, &fault) : build(bytes, size, &fault);
	if (!root)
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "%s could not be read: %s", name,
		    json_tokener_error_desc(fault));
	return (struct json *)root;
}

struct json *
json_parse(const char *bytes, gsize size, GError **error)
{
	return json_parse_as("body", bytes, size, error);
}
