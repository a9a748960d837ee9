/* SPDX-License-Identifier: MIT */
/* Reads the values of a parsed document. */
#include "json/value.h"

#include <string.h>

#include "json/node.h"

/* The elements of packed arrays. */
/* clang-format off */
#define ONE(digits) {{.text = (char *)#digits}, .size = sizeof(#digits) - 1, .kind = JSON_INTEGER}
#define TEN(digits) ONE(digits##0), ONE(digits##1), ONE(digits##2), ONE(digits##3), ONE(digits##4), \
	ONE(digits##5), ONE(digits##6), ONE(digits##7), ONE(digits##8), ONE(digits##9)
static const struct json numbers[G_MAXUINT8 + 1] = {
	ONE(0), ONE(1), ONE(2), ONE(3), ONE(4), ONE(5), ONE(6), ONE(7), ONE(8), ONE(9),
	TEN(1), TEN(2), TEN(3), TEN(4), TEN(5), TEN(6), TEN(7), TEN(8), TEN(9),
	TEN(10), TEN(11), TEN(12), TEN(13), TEN(14), TEN(15), TEN(16), TEN(17), TEN(18), TEN(19),
	TEN(20), TEN(21), TEN(22), TEN(23), TEN(24),
	ONE(250), ONE(251), ONE(252), ONE(253), ONE(254), ONE(255),
};
/* clang-format on */

static bool
value_is(const struct json *value, enum json_kind kind)
{
	return json_kind(value) == kind;
}

/* Callers see a null of the document as NULL. */
static const struct json *
value_shown(const struct json *value)
{
	return value->kind == JSON_NULL ? NULL : value;
}

enum json_kind
json_kind(const struct json *value)
{
	return value ? (enum json_kind)value->kind : JSON_NULL;
}

gsize
json_weight(const struct json *root)
{
	bool is_container = value_is(root, JSON_ARRAY) || value_is(root, JSON_OBJECT);
	gsize count = is_container ? root->size : 0;
	gsize weight = sizeof(*root) + (count > 0 ? 2 * sizeof(void *) : 0); /* malloc's overhead */

	if (root->is_packed)
		return weight + count;
	if (value_is(root, JSON_OBJECT) && count > JSON_NODE_FEW)
		weight += count * sizeof(guint32);
	if (value_is(root, JSON_OBJECT))
		count *= 2;
	for (gsize i = 0; i < count; i++)
		weight += json_weight(&root->values[i]);
	return weight;
}

const char *
json_string(const struct json *value, gsize *size_r)
{
	bool known = value_is(value, JSON_STRING);

	if (size_r)
		*size_r = known ? value->size : 0;
	return known ? value->text : NULL;
}

bool
json_boolean(const struct json *value)
{
	return value_is(value, JSON_BOOLEAN) && value->truth;
}

gint64
json_integer(const struct json *value)
{
	return value_is(value, JSON_INTEGER) ? g_ascii_strtoll(value->text, NULL, 10) : 0;
}

const char *
json_number_text(const struct json *value)
{
	return value_is(value, JSON_INTEGER) || value_is(value, JSON_NUMBER) ? value->text : NULL;
}

gsize
json_array_length(const struct json *array)
{
	return value_is(array, JSON_ARRAY) ? array->size : 0;
}

const struct json *
json_array_at(const struct json *array, gsize index)
{
	if (index >= json_array_length(array))
		return NULL;
	return array->is_packed ? &numbers[array->bytes[index]]
				: value_shown(&array->values[index]);
}

const guint8 *
json_array_bytes(const struct json *array)
{
	return value_is(array, JSON_ARRAY) && array->is_packed ? array->bytes : NULL;
}

gsize
json_member_count(const struct json *object)
{
	return value_is(object, JSON_OBJECT) ? object->size : 0;
}

static int
value_compare(const struct json *object, gsize member, const char *key, gsize size)
{
	const struct json *name = &object->values[2 * member];

	return json_node_compare(name->text, name->size, key, size);
}

const struct json *
json_node_find(const struct json *object, const char *key)
{
	gsize count = json_member_count(object), size = strlen(key), low = 0, high = count;
	const guint32 *order = count > JSON_NODE_FEW ? json_node_order(object) : NULL;

	if (!order) {
		for (gsize i = 0; i < count; i++)
			if (value_compare(object, i, key, size) == 0)
				return &object->values[2 * i + 1];
		return NULL;
	}
	while (low < high) {
		gsize middle = (low + high) / 2;
		int side = value_compare(object, order[middle], key, size);

		if (side == 0)
			return &object->values[2 * (gsize)order[middle] + 1];
		if (side < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct json *
json_member_get(const struct json *object, const char *key)
{
	const struct json *value = json_node_find(object, key);

	return value ? value_shown(value) : NULL;
}

const struct json *
json_member_at(const struct json *object, gsize index, const char **key_r)
{
	if (index >= json_member_count(object))
		return NULL;
	*key_r = json_string(&object->values[2 * index], NULL);
	return value_shown(&object->values[2 * index + 1]);
}

/* The member, or, of an array, the element. */
static const struct json *
child(const struct json *value, const char *name)
{
	char *end;

	if (json_kind(value) != JSON_ARRAY)
		return json_member_get(value, name);
	if (!g_ascii_isdigit(*name))
		return NULL;
	guint64 place = g_ascii_strtoull(name, &end, 10);
	return *end ? NULL : json_array_at(value, place);
}

const struct json *
json_member_find(const struct json *value, const char *path)
{
	for (const char *rest = path;;) {
		const char *dot = strchr(rest, '.');

		if (!dot || json_member_has(value, rest))
			return child(value, rest);
		g_autofree char *name = g_strndup(rest, (gsize)(dot - rest));
		value = child(value, name);
		if (!value)
			return NULL;
		rest = dot + 1;
	}
}

bool
json_member_has(const struct json *object, const char *key)
{
	return json_node_find(object, key) != NULL;
}

struct json_iterator
json_members(const struct json *object)
{
	gsize count = json_member_count(object);

	if (count == 0)
		return (struct json_iterator){NULL, NULL};
	return (struct json_iterator){object->values, object->values + 2 * count};
}

bool
json_iterator_next(struct json_iterator *iterator, const char **key_r, const struct json **value_r)
{
	const struct json *member = iterator->next;

	if (iterator->next == iterator->end)
		return false;
	*key_r = member[0].text;
	*value_r = value_shown(&member[1]);
	iterator->next = member + 2;
	return true;
}
