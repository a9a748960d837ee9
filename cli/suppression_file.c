/* SPDX-License-Identifier: MIT */
/* posthouse suppression import and export: addresses that get no more mail, many at once. */
#include <string.h>

#include "base/error.h"
#include "cli/call.h"
#include "cli/columns.h"
#include "cli/count.h"
#include "cli/intake.h"
#include "cli/outlet.h"
#include "cli/output.h"
#include "cli/suppression.h"
#include "core/contact.h"
#include "core/core.h"
#include "core/suppress.h"
#include "store/suppression.h"
#include "store/workspace.h"

enum { IMPORT_FILE, IMPORT_EMAIL, IMPORT_NO_HEADER, IMPORT_RAW };
const struct cli_parameter cli_suppression_import_parameters[SUPPRESSION_IMPORT_PARAMETERS] = {
    [IMPORT_FILE] = {"FILE", "comma-separated values in UTF-8; - is standard input",
	.type = PARAMETER_FILE},
    [IMPORT_EMAIL] = {"--email", "the header of the column with the emails, or its number",
	"COLUMN", .max = 200},
    [IMPORT_NO_HEADER] = {"--no-header",
	"the first line is an entry, and columns go by their numbers", .type = PARAMETER_FLAG},
    [IMPORT_RAW] = {"--raw", "take fields as they stand: see suppression export",
	.type = PARAMETER_FLAG},
};

static const char *const emails[] = {"email", "emailaddress", "mail", "mailaddress", NULL};
static const char *const reasons[] = {"reason", NULL};
static const char *const scopes[] = {"scope", NULL};
static const char *const hashes[] = {"hash", NULL};

enum { COLUMN_EMAIL, COLUMN_REASON, COLUMN_SCOPE, COLUMN_HASH, COLUMNS };
static const struct cli_column columns[COLUMNS] = {
    [COLUMN_EMAIL] = {"email", "--email", NULL, emails, .required = true},
    [COLUMN_REASON] = {"reason", NULL, NULL, reasons},
    [COLUMN_SCOPE] = {"scope", NULL, NULL, scopes},
    [COLUMN_HASH] = {"hash", NULL, NULL, hashes},
};

#define BATCH 200

struct intake_batch {
	struct core *core;
	const struct base_id *workspace;
	struct store_suppression entries[BATCH]; /* their emails are owned */
	guint count;
	guint64 total;
};

static void
clear(struct intake_batch *batch)
{
	for (guint i = 0; i < batch->count; i++)
		g_free(batch->entries[i].email);
	batch->count = 0;
}

static bool
flush(struct intake_batch *batch, GError **error)
{
	bool stored = batch->count == 0 ||
		      (core_ensure(batch->core, error) &&
			  core_suppress_add_all(batch->core, batch->entries, batch->count, error));

	batch->total += batch->count;
	clear(batch);
	return stored;
}

static bool
read_hash(const char *text, struct store_suppression *entry, GError **error)
{
	bool good = strlen(text) == (gsize)2 * SHA256_SIZE;

	for (guint i = 0; good && i < SHA256_SIZE; i++) {
		int high = g_ascii_xdigit_value(text[2 * i]);
		int low = g_ascii_xdigit_value(text[2 * i + 1]);

		good = high >= 0 && low >= 0;
		entry->hash[i] = (guint8)(high << 4 | low);
	}
	entry->hashed = true;
	if (!good)
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "hash must be %d hexadecimal digits",
		    2 * SHA256_SIZE);
	return good;
}

/* The address, or what is left of one. */
static bool
read_whom(const char *email, const char *hash, struct store_suppression *entry, GError **error)
{
	if (*email) {
		g_autofree char *address = core_contact_address(email, error);
		entry->email = address ? g_strdup(email) : NULL;
		return address != NULL;
	}
	if (hash && *hash)
		return read_hash(hash, entry, error);
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "email is required");
	return false;
}

static const char *
word_of(const char *text)
{
	return text && *text ? text : NULL;
}

static bool
take(const char *const *values, void *context, GError **error)
{
	struct intake_batch *batch = context;
	struct store_suppression entry = {.workspace_id = *batch->workspace};

	if (!core_suppress_words(word_of(values[COLUMN_REASON]), word_of(values[COLUMN_SCOPE]),
		&entry.reason, &entry.scope, error) ||
	    !read_whom(values[COLUMN_EMAIL], values[COLUMN_HASH], &entry, error))
		return false;
	batch->entries[batch->count++] = entry;
	return batch->count < BATCH || flush(batch, error);
}

static bool
import_file(struct cli_call *call, struct intake_batch *batch, GPtrArray *unused, guint64 *bad_r,
    GError **error)
{
	struct cli_column wanted[COLUMNS];
	const struct cli_intake intake = {
	    .path = call->values[IMPORT_FILE].text,
	    .columns = wanted,
	    .count = COLUMNS,
	    .header = !call->values[IMPORT_NO_HEADER].text,
	    .raw = call->values[IMPORT_RAW].text != NULL,
	    .take = take,
	    .context = batch,
	    .unused = unused,
	};

	memcpy(wanted, columns, sizeof(wanted));
	wanted[COLUMN_EMAIL].given = call->values[IMPORT_EMAIL].text;
	return cli_intake_run(call, &intake, bad_r, error) && flush(batch, error);
}

bool
cli_suppression_import(struct cli_call *call, GError **error)
{
	AUTO(core) core = core_open(call->settings);
	struct intake_batch batch = {.core = core, .workspace = &call->workspace->id};
	g_autoptr(GPtrArray) unused = g_ptr_array_new_with_free_func(g_free);
	guint64 bad;
	bool done = core_ensure(core, error) && import_file(call, &batch, unused, &bad, error);

	clear(&batch);
	if (!done)
		return false;
	g_autofree char *good = cli_count(batch.total, "address is", "addresses are");
	g_autofree char *bad_lines = cli_count(bad, "bad line", "bad lines");
	g_autofree char *unused_json = cli_intake_unused(unused);
	cli_output_say(call->output,
	    FIELDS(cli_number("suppressed", (gint64)batch.total), cli_number("bad", (gint64)bad),
		cli_json("unused_columns", unused_json)),
	    "%s on the list now, %s.", good, bad_lines);
	return cli_intake_end(bad, error);
}

enum { EXPORT_FILE, EXPORT_RAW };
const struct cli_parameter cli_suppression_export_parameters[SUPPRESSION_EXPORT_PARAMETERS] = {
    [EXPORT_FILE] = OUTLET_FILE,
    [EXPORT_RAW] = OUTLET_RAW,
};

#define PAGE 1000

static bool
write_entry(struct cli_outlet *outlet, const struct store_suppression *entry, GError **error)
{
	char hash[2 * SHA256_SIZE + 1] = "";

	for (guint i = 0; entry->hashed && i < SHA256_SIZE; i++)
		g_snprintf(hash + 2 * i, 3, "%02x", entry->hash[i]);
	const char *const fields[COLUMNS] = {entry->email,
	    store_suppression_reasons[entry->reason - 1],
	    store_suppression_scopes[entry->scope - 1], hash};
	return cli_outlet_write(outlet, fields, COLUMNS, error);
}

/* Page by page, the newest first. */
static bool
write_all(struct cli_call *call, struct cli_outlet *outlet, GError **error)
{
	static const char *const header[COLUMNS] = {"email", "reason", "scope", "hash"};
	struct base_id before;
	guint got = PAGE;
	bool begun = false;

	if (!cli_outlet_write(outlet, header, COLUMNS, error))
		return false;
	while (got == PAGE) {
		g_autoptr(GPtrArray) entries = store_suppression_list(
		    call->db, &call->workspace->id, begun ? &before : NULL, PAGE, error);

		if (!entries)
			return false;
		for (guint i = 0; i < entries->len; i++)
			if (!write_entry(outlet, entries->pdata[i], error))
				return false;
		got = entries->len;
		begun = true;
		if (got > 0)
			before = ((const struct store_suppression *)entries->pdata[got - 1])->id;
	}
	return cli_outlet_finish(outlet, error);
}

bool
cli_suppression_export(struct cli_call *call, GError **error)
{
	const char *path = cli_outlet_path(call->values[EXPORT_FILE].text);
	AUTO(cli_outlet)
	outlet = cli_outlet_open(path, call->values[EXPORT_RAW].text != NULL, 0, error);

	if (!outlet || !write_all(call, outlet, error))
		return false;
	guint64 count = cli_outlet_count(outlet);
	if (path)
		cli_output_say(call->output, FIELDS(cli_number("entries", (gint64)count)),
		    "Entries written to %s: %" G_GUINT64_FORMAT ".", path, count);
	return true;
}
