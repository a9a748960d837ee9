/* SPDX-License-Identifier: MIT */
/* Writes things as JSON by the table of their members. */
#include "json/view.h"

#include <string.h>

#include "base/id.h"
#include "json/writer.h"

static struct json_view_value
view_read(const struct json_view_member *member, const void *row, const void *context)
{
	const void *at = (const guint8 *)row + member->offset;
	struct json_view_value value = {.type = member->type};

	if (member->make) {
		value.text = value.made = member->make(row, context);
		return value;
	}
	switch (member->type) {
	case VIEW_ID:
		value.id = at;
		break;
	case VIEW_TEXT:
	case VIEW_JSON:
		value.text = *(const char *const *)at;
		break;
	case VIEW_BYTES:
		value.bytes = *(GBytes *const *)at;
		break;
	case VIEW_TEXTS:
		value.texts = *(const char *const *const *)at;
		break;
	case VIEW_VALUE:
		value.value = *(const struct json *const *)at;
		break;
	case VIEW_INTEGER:
	case VIEW_TIME:
		value.number = *(const gint64 *)at;
		break;
	case VIEW_COUNT:
		value.type = VIEW_INTEGER;
		value.number = *(const guint *)at;
		break;
	case VIEW_TRUTH:
		value.number = *(const bool *)at;
		break;
	case VIEW_WORD:
		value.type = VIEW_TEXT;
		value.text = member->words[*(const unsigned *)at - 1];
		break;
	case VIEW_MADE:
		return member->read(row);
	default:
		g_assert_not_reached();
	}
	return value;
}

struct json_view_value
json_view_value(
    const struct json_view *view, const char *name, const void *row, const void *context)
{
	for (guint i = 0; i < view->count; i++)
		if (strcmp(view->members[i].name, name) == 0)
			return view_read(&view->members[i], row, context);
	g_error("the view has no member %s", name);
}

static void
view_write_texts(struct json_writer *writer, const char *key, const char *const *texts)
{
	json_writer_begin_array(writer, key);
	for (guint i = 0; texts && texts[i]; i++)
		json_writer_string(writer, NULL, texts[i]);
	json_writer_end_array(writer);
}

void
json_view_write_value(
    struct json_writer *writer, const char *key, const struct json_view_value *value)
{
	char id[ID_TEXT_SIZE];

	if (value->type == VIEW_ID)
		json_writer_string(writer, key, base_id_format(value->id, id));
	else if (value->type == VIEW_TEXT)
		json_writer_string(writer, key, value->text);
	else if (value->type == VIEW_JSON)
		json_writer_raw(writer, key, value->text, value->text ? strlen(value->text) : 0);
	else if (value->type == VIEW_BYTES)
		json_writer_bytes(writer, key, value->bytes);
	else if (value->type == VIEW_TEXTS)
		view_write_texts(writer, key, value->texts);
	else if (value->type == VIEW_VALUE)
		json_writer_value(writer, key, value->value);
	else if (value->type == VIEW_TRUTH)
		json_writer_boolean(writer, key, value->number != 0);
	else if (value->type == VIEW_NULL || (value->type == VIEW_TIME && value->number == 0))
		json_writer_null(writer, key);
	else if (value->type != VIEW_ABSENT)
		json_writer_integer(writer, key, value->number);
}

bool
json_view_has(const struct json_view *view, const struct json_view_member *member)
{
	return !member->is_apart && !(view->is_list && member->is_long);
}

void
json_view_write_members(
    struct json_writer *writer, const struct json_view *view, const void *row, const void *context)
{
	for (guint i = 0; i < view->count; i++) {
		const struct json_view_member *member = &view->members[i];

		if (!json_view_has(view, member))
			continue;
		if (member->type == VIEW_PART) {
			member->write(writer, member->name, row, context);
			continue;
		}
		struct json_view_value value = view_read(member, row, context);
		json_view_write_value(writer, member->name, &value);
		g_free(value.made);
	}
}

void
json_view_write(
    struct json_writer *writer, const struct json_view *view, const void *row, const void *context)
{
	json_writer_begin_object(writer, NULL);
	json_view_write_members(writer, view, row, context);
	json_writer_end_object(writer);
}
