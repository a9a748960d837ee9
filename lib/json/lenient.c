/* SPDX-License-Identifier: MIT */
/* Gives members of a document the names and the absence that their writers mean. */
#include "json/lenient.h"

#include <string.h>

#include "json/node.h"
#include "json/value.h"

/* The change of a member: the declared name that it gets; NULL: it goes. */
struct change {
	struct json *key; /* followed by the value */
	const char *name;
};

bool
json_lenient_twin(const char *name, char twin_r[JSON_LENIENT_TWIN_SIZE])
{
	bool differs = false;
	gsize size = 0;

	for (; *name && size < JSON_LENIENT_TWIN_SIZE - 1; name++) {
		bool is_joint = *name == '_' && name[1];

		name += is_joint;
		differs = differs || is_joint;
		twin_r[size++] = is_joint ? g_ascii_toupper(*name) : *name;
	}
	twin_r[size] = '\0';
	return differs;
}

static bool
lenient_takes(const struct json_field *field, enum json_kind kind)
{
	return (field->type == FIELD_JSON || field->type == FIELD_KNOWN) &&
	       (field->kinds & JSON_KIND(kind));
}

static bool
is_empty_text(const struct json *value)
{
	return value->kind == JSON_STRING && value->size == 0;
}

/* Whether a value stands for none. */
static bool
is_unset(const struct json *value, const struct json_field *field)
{
	if ((field->required && field->min == 0) || lenient_takes(field, JSON_STRING))
		return false;
	return is_empty_text(value) || (value->kind == JSON_ARRAY && value->size == 1 &&
					   !value->is_packed && is_empty_text(value->values));
}

/* Adds the change of the member at key, if it needs one. is_spare: it is a twin beside the member
   itself. Returns whether the member stays. */
static bool
lenient_judge(
    GArray *changes, const struct json *value, const struct json_field *field, bool is_spare)
{
	struct change change = {(struct json *)value - 1, NULL};

	if (!is_spare && !is_unset(value, field))
		change.name = field->name;
	if (!change.name || strcmp(change.key->text, change.name) != 0)
		g_array_append_val(changes, change);
	return change.name != NULL;
}

static void
find_changes(const struct json *object, const struct json_table *table, GArray *changes)
{
	for (gsize i = 0; i < table->count; i++) {
		const struct json_field *field = &table->fields[i];
		const struct json *value = json_node_find(object, field->name);
		char twin[JSON_LENIENT_TWIN_SIZE];
		bool is_there = value && lenient_judge(changes, value, field, false);

		value = json_lenient_twin(field->name, twin) ? json_node_find(object, twin) : NULL;
		if (value)
			lenient_judge(changes, value, field, is_there);
	}
}

static int
compare_members(const void *a, const void *b, void *values)
{
	const struct json *one = (const struct json *)values + 2 * (gsize) * (const guint32 *)a;
	const struct json *other = (const struct json *)values + 2 * (gsize) * (const guint32 *)b;

	return json_node_compare(one->text, one->size, other->text, other->size);
}

/* Removes the members whose keys have no text. */
static void
compact(struct json *object)
{
	guint32 count = 0;

	for (guint32 i = 0; i < object->size; i++) {
		if (!object->values[2 * i].text)
			continue;
		object->values[2 * count] = object->values[2 * i];
		object->values[2 * count + 1] = object->values[2 * i + 1];
		count++;
	}
	object->size = count;
	if (count <= JSON_NODE_FEW)
		return;
	guint32 *order = json_node_order(object);
	for (guint32 i = 0; i < count; i++)
		order[i] = i;
	g_qsort_with_data(order, (gint)count, sizeof(*order), compare_members, object->values);
}

static void
lenient_apply(struct json *object, const GArray *changes)
{
	for (guint i = 0; i < changes->len; i++) {
		const struct change *change = &g_array_index(changes, struct change, i);

		if (!change->name)
			json_forget(change->key + 1);
		change->key->text = (char *)change->name;
		change->key->size = change->name ? (guint32)strlen(change->name) : 0;
	}
	if (changes->len > 0)
		compact(object);
}

static void
settle_field(struct json *value, const struct json_field *field)
{
	const struct json_table table = {field->elements, field->element_count, 0, false};
	bool is_map = field->type == FIELD_OBJECT ||
		      (lenient_takes(field, JSON_OBJECT) && !lenient_takes(field, JSON_ARRAY));

	if (is_map && value->kind == JSON_ARRAY && value->size == 0)
		*value = (struct json){.kind = JSON_OBJECT};
	if (!field->elements)
		return;
	for (gsize i = 0; i < json_array_length(value); i++)
		json_lenient_settle(json_array_at(value, i), &table);
	json_lenient_settle(value, &table);
}

void
json_lenient_settle(const struct json *object, const struct json_table *table)
{
	g_autoptr(GArray) changes = NULL;

	if (json_member_count(object) == 0)
		return;
	changes = g_array_new(FALSE, FALSE, sizeof(struct change));
	find_changes(object, table, changes);
	lenient_apply((struct json *)object, changes);
	for (gsize i = 0; i < table->count; i++) {
		const struct json *value = json_node_find(object, table->fields[i].name);

		if (value)
			settle_field((struct json *)value, &table->fields[i]);
	}
}
