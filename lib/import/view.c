/* SPDX-License-Identifier: MIT */
/* Writes imports that requests ask for as JSON. */
#include "import/view.h"

#include "import/request.h"
#include "json/writer.h"
#include "store/person/import.h"

static const char *const statuses[] = {"pending", "running", "done", "failed"};
G_STATIC_ASSERT(G_N_ELEMENTS(statuses) == CONTACT_IMPORT_FAILED);

static struct json_view_value
view_read_audience(const void *row)
{
	const struct store_contact_import *import = row;

	return (struct json_view_value){
	    .type = import->has_audience ? VIEW_ID : VIEW_NULL, .id = &import->audience_id};
}

static struct json_view_value
view_read_filename(const void *row)
{
	const struct store_contact_import *import = row;

	return (struct json_view_value){
	    .type = VIEW_TEXT, .text = import->filename ? import->filename : ""};
}

static struct json_view_value
view_read_created(const void *row)
{
	const struct store_contact_import *import = row;

	return (struct json_view_value){.type = VIEW_TIME, .number = base_id_time(&import->id)};
}

static void
view_write_columns(
    struct json_writer *writer, const char *key, const void *row, const void *context)
{
	const struct store_contact_import *import = row;

	import_request_write_columns(writer, key, import->plan);
}

static void
import_view_write_counts(
    struct json_writer *writer, const char *key, const void *row, const void *context)
{
	const struct store_contact_import_counts *counts =
	    &((const struct store_contact_import *)row)->counts;
	gint64 same = counts->same + counts->skipped;

	json_writer_begin_object(writer, key);
	json_writer_integer(
	    writer, "lines", counts->created + counts->updated + same + counts->failed);
	json_writer_integer(writer, "added", counts->created);
	json_writer_integer(writer, "changed", counts->updated);
	json_writer_integer(writer, "same", same);
	json_writer_integer(writer, "refused", counts->failed);
	json_writer_integer(writer, "kept_choice", counts->kept);
	json_writer_end_object(writer);
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_contact_import, id),
    JSON_VIEW_MEMBER("status", VIEW_WORD, struct store_contact_import, status, statuses),
    {"audience_id", VIEW_MADE, .read = view_read_audience},
    {"filename", VIEW_MADE, .read = view_read_filename},
    JSON_VIEW_MEMBER("dry_run", VIEW_TRUTH, struct store_contact_import, is_dry),
    {"columns", VIEW_PART, .write = view_write_columns},
    {"counts", VIEW_PART, .write = import_view_write_counts},
    {"created", VIEW_MADE, .read = view_read_created},
    JSON_VIEW_MEMBER("completed_at", VIEW_TIME, struct store_contact_import, completed),
    JSON_VIEW_MEMBER("error", VIEW_TEXT, struct store_contact_import, error),
};
const struct json_view import_view = JSON_VIEW(members);
