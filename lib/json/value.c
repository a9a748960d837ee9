/* Reads values of the tree, which is json-c's. */
#include "json/value.h"

#include <json-c/json.h>

/* json-c takes what it only reads without const. */
static struct json_object *
tree(const struct json *value)
{
	return (struct json_object *)value;
}

static const struct json *
branch(const struct json_object *object)
{
	return (const struct json *)object;
}

static bool
is(const struct json *value, enum json_type type)
{
	return json_object_is_type(tree(value), type);
}

void
json_free(struct json *root)
{
	json_object_put(tree(root));
}

enum json_kind
json_kind(const struct json *value)
{
	static const enum json_kind kinds[] = {
	    [json_type_null] = JSON_NULL,
	    [json_type_boolean] = JSON_BOOLEAN,
	    [json_type_int] = JSON_INTEGER,
	    [json_type_double] = JSON_NUMBER,
	    [json_type_string] = JSON_STRING,
	    [json_type_array] = JSON_ARRAY,
	    [json_type_object] = JSON_OBJECT,
	};

	return kinds[json_object_get_type(tree(value))];
}

const char *
json_string(const struct json *value, gsize *size_r)
{
	bool known = is(value, json_type_string);

	if (size_r)
		*size_r = known ? (gsize)json_object_get_string_len(tree(value)) : 0;
	return known ? json_object_get_string(tree(value)) : NULL;
}

bool
json_boolean(const struct json *value)
{
	return is(value, json_type_boolean) && json_object_get_boolean(tree(value));
}

gint64
json_integer(const struct json *value)
{
	return is(value, json_type_int) ? json_object_get_int64(tree(value)) : 0;
}

double
json_number(const struct json *value)
{
	if (!is(value, json_type_int) && !is(value, json_type_double))
		return 0;
	return json_object_get_double(tree(value));
}

const char *
json_number_text(const struct json *value)
{
	if (!is(value, json_type_int) && !is(value, json_type_double))
		return NULL;
	return json_object_to_json_string_ext(tree(value), JSON_C_TO_STRING_PLAIN);
}

gsize
json_array_length(const struct json *array)
{
	return is(array, json_type_array) ? json_object_array_length(tree(array)) : 0;
}

const struct json *
json_array_at(const struct json *array, gsize index)
{
	if (!is(array, json_type_array))
		return NULL;
	return branch(json_object_array_get_idx(tree(array), index));
}

gsize
json_member_count(const struct json *object)
{
	return is(object, json_type_object) ? (gsize)json_object_object_length(tree(object)) : 0;
}

const struct json *
json_member_get(const struct json *object, const char *key)
{
	struct json_object *member = NULL;

	if (is(object, json_type_object))
		json_object_object_get_ex(tree(object), key, &member);
	return branch(member);
}

bool
json_member_has(const struct json *object, const char *key)
{
	return is(object, json_type_object) && json_object_object_get_ex(tree(object), key, NULL);
}

struct json_iterator
json_members(const struct json *object)
{
	struct json_iterator iterator = {NULL};

	if (is(object, json_type_object))
		iterator.next = lh_table_head(json_object_get_object(tree(object)));
	return iterator;
}

bool
json_iterator_next(struct json_iterator *iterator, const char **key_r, const struct json **value_r)
{
	const struct lh_entry *entry = iterator->next;

	if (!entry)
		return false;
	*key_r = lh_entry_k(entry);
	*value_r = lh_entry_v(entry);
	iterator->next = lh_entry_next(entry);
	return true;
}
