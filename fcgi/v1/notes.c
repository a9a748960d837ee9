/* SPDX-License-Identifier: MIT */
/* Notes that the dashboard keeps for its user (/v1/session/notes). */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/edit.h"
#include "fcgi/api/context.h"
#include "json/fields.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/workspace/note.h"

struct input {
	const struct json *data;
};

static const struct json_field fields[] = {
    JSON_FIELD("data", FIELD_OBJECT, struct input, data, .required = true),
};

const struct json_table fcgi_notes_body = {fields, G_N_ELEMENTS(fields), .bytes = LIMIT_NOTE_BYTES};

/* The user of the session. */
static struct store_note_owner
notes_owner(const struct fcgi_call *call)
{
	return (struct store_note_owner){&call->key.workspace_id, &call->key.user_id};
}

/* Reads kind and id of the path. NOT_FOUND, INVALID. */
static bool
notes_read_path(
    const struct fcgi_call *call, enum store_note_kind *kind_r, const char **name_r, GError **error)
{
	const char *name = call->arguments[1];
	gsize length = strlen(name);

	*kind_r = store_note_kind_read(call->arguments[0]);
	*name_r = name;
	if (!*kind_r)
		return store_note_missing(error);
	return (length <= LIMIT_NOTE_NAME_LENGTH &&
		   strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				"._-") == length) ||
	       base_invalid(error,
		   "id must be 1 to %d characters, each a letter, a digit, a dot, an underscore or "
		   "a hyphen",
		   LIMIT_NOTE_NAME_LENGTH);
}

/* Writes a note, with its data where it has some. */
static void
notes_write(struct json_writer *writer, const struct store_note *note)
{
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "kind", store_note_kind_name(note->kind));
	json_writer_string(writer, "id", note->name);
	if (note->data)
		json_writer_raw(writer, "data", note->data, strlen(note->data));
	json_writer_integer(writer, "created", note->created);
	json_writer_integer(writer, "updated", note->updated);
	json_writer_end_object(writer);
}

bool
fcgi_notes_list(struct fcgi_call *call, GError **error)
{
	const struct store_note_owner owner = notes_owner(call);
	g_autoptr(GPtrArray) notes = store_note_list(call->service->db, &owner, error);
	AUTO(json_writer) writer = json_writer_new();

	if (!notes)
		return false;
	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, "notes");
	for (guint i = 0; i < notes->len; i++)
		notes_write(writer, notes->pdata[i]);
	json_writer_end_array(writer);
	json_writer_integer(writer, "count", notes->len);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_notes_get(struct fcgi_call *call, GError **error)
{
	const struct store_note_owner owner = notes_owner(call);
	AUTO(json_writer) writer = json_writer_new();
	enum store_note_kind kind;
	const char *name;

	if (!notes_read_path(call, &kind, &name, error))
		return false;
	AUTO(store_note) note = store_note_get(call->service->db, &owner, kind, name, error);
	if (!note)
		return false;
	notes_write(writer, note);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

bool
fcgi_notes_put(struct fcgi_call *call, GError **error)
{
	const struct store_note_owner owner = notes_owner(call);
	struct store_note note = {0};
	struct input input = {0};
	const char *name;

	if (!notes_read_path(call, &note.kind, &name, error) ||
	    !json_fields_read(call->json, fields, G_N_ELEMENTS(fields), &input, error))
		return false;
	g_autofree char *data = note.data = json_print(input.data);
	note.name = call->arguments[1];
	return store_note_put(call->service->db, &owner, &note, error) &&
	       fcgi_notes_get(call, error);
}

bool
fcgi_notes_delete(struct fcgi_call *call, GError **error)
{
	const struct store_note_owner owner = notes_owner(call);
	enum store_note_kind kind;
	const char *name;

	if (!notes_read_path(call, &kind, &name, error) ||
	    !store_note_remove(call->service->db, &owner, kind, name, error))
		return false;
	fcgi_reply_message(call->reply, "Note deleted");
	return true;
}
