/* SPDX-License-Identifier: MIT */
/* posthouse suppression: edits, imports and exports the list of suppressed addresses. */
#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/person.h"
#include "cli/call.h"
#include "cli/export.h"
#include "cli/grammar.h"
#include "cli/import.h"
#include "cli/output.h"
#include "cli/suppression_words.h"
#include "cli/text.h"
#include "consent/consent.h"
#include "person/contact.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/consent/suppression.h"
#include "store/workspace/workspace.h"

#define REASON_OPTION(help)                                                                        \
	{                                                                                          \
		"--reason", help, "REASON", .max = LIMIT_NAME_LENGTH                               \
	}
#define SCOPE_OPTION(help)                                                                         \
	{                                                                                          \
		"--scope", help, "SCOPE", .max = LIMIT_NAME_LENGTH                                 \
	}

enum {
	IMPORT_FILE,
	IMPORT_EMAIL,
	IMPORT_COLUMN,
	IMPORT_REASON,
	IMPORT_SCOPE,
	IMPORT_NO_HEADER,
	IMPORT_ENCODING,
	IMPORT_SEPARATOR,
	IMPORT_RAW
};
static const struct cli_parameter import_parameters[] = {
    [IMPORT_FILE] = {"FILE", "comma-separated values; - is standard input", .type = PARAMETER_FILE},
    [IMPORT_EMAIL] = {"--email", "the header of the column with the emails, or its number",
	"COLUMN", .max = 200},
    [IMPORT_COLUMN] = {"--column",
	"use the column NAME as email, reason, scope or hash, or not at all: ignore", "NAME=USE",
	.repeated = true, .max = 200},
    [IMPORT_REASON] = REASON_OPTION("the reason of all entries, whatever the file says"),
    [IMPORT_SCOPE] = SCOPE_OPTION("the scope of all entries, whatever the file says"),
    [IMPORT_NO_HEADER] = {"--no-header", "the first line is an entry, and columns have numbers",
	.type = PARAMETER_FLAG},
    [IMPORT_ENCODING] = {"--encoding",
	"utf-8 (the default), windows-1252 or latin1; a byte order mark decides before it",
	"ENCODING", .max = 20},
    [IMPORT_SEPARATOR] = {"--separator",
	"comma, semicolon or tab; the default is what the first line shows", "SEPARATOR",
	.max = 20},
    [IMPORT_RAW] = {"--raw", "read fields unchanged: see suppression export",
	.type = PARAMETER_FLAG},
};

static const char *const emails[] = {"email", "emailaddress", "mail", "mailaddress", "emailadresse",
    "contactemail", "suppressedemail", NULL};
/* These are others beside one of those: a street, or the one that was written to. */
static const char *const addresses[] = {
    "address", "recipient", "recipientaddress", "recipientemail", NULL};
static const char *const reasons[] = {
    "reason", "suppressionreason", "suppressedreason", "blockreason", "reasoncode", NULL};
static const char *const types[] = {"type", "suppressiontype", "list", NULL};
static const char *const codes[] = {"code", "errorcode", "status", NULL};
static const char *const origins[] = {"origin", NULL};
static const char *const tags[] = {"tags", NULL};
static const char *const scopes[] = {"scope", NULL};
static const char *const hashes[] = {"hash", NULL};

/* The first four are those of our own export. Other services tell the reason in one of several
   columns. */
enum {
	COLUMN_EMAIL,
	COLUMN_REASON,
	COLUMN_SCOPE,
	COLUMN_HASH,
	COLUMN_TYPE,
	COLUMN_CODE,
	COLUMN_ORIGIN,
	COLUMN_TAGS,
	COLUMNS
};
#define OWN_COLUMNS COLUMN_TYPE /* those before */
static const struct cli_column columns[COLUMNS] = {
    [COLUMN_EMAIL] = {"email", "--email", NULL, emails, .others = addresses, .required = true},
    [COLUMN_REASON] = {"reason", NULL, NULL, reasons},
    [COLUMN_SCOPE] = {"scope", NULL, NULL, scopes},
    [COLUMN_HASH] = {"hash", NULL, NULL, hashes},
    [COLUMN_TYPE] = {"type", NULL, NULL, types, .late = true},
    [COLUMN_CODE] = {"code", NULL, NULL, codes, .late = true},
    [COLUMN_ORIGIN] = {"origin", NULL, NULL, origins, .late = true},
    [COLUMN_TAGS] = {"tags", NULL, NULL, tags, .late = true},
};

#define BATCH 200

struct import_batch {
	struct service *service;
	const struct base_id *workspace;
	const char *reason, *scope;		 /* of all entries; NULL: as the file says */
	struct store_suppression entries[BATCH]; /* with emails that the batch owns */
	guint count;
	guint64 total;
};

static void
suppression_clear(struct import_batch *batch)
{
	for (guint i = 0; i < batch->count; i++)
		g_free(batch->entries[i].email);
	batch->count = 0;
}

static bool
suppression_flush(struct import_batch *batch, GError **error)
{
	bool stored = batch->count == 0 || (service_ensure(batch->service, error) &&
					       person_suppress_add_all(batch->service,
						   batch->entries, batch->count, error));

	batch->total += batch->count;
	suppression_clear(batch);
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

/* Reads the address or, for an erased person, its hash. */
static bool
read_whom(const char *email, const char *hash, struct store_suppression *entry, GError **error)
{
	if (*email) {
		g_autofree char *address = person_contact_address(email, error);
		entry->email = address ? g_strdup(email) : NULL;
		return address != NULL;
	}
	if (hash && *hash)
		return read_hash(hash, entry, error);
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "email is required");
	return false;
}

static const char *
suppression_word_of(const char *text)
{
	return text && *text ? text : NULL;
}

/* The first word that is known of those columns that may tell the reason. If none is, but there are
   words, the first one, so that it is refused. NULL: there is nothing. */
static const char *
find_reason(const char *const *values)
{
	static const guint places[] = {COLUMN_REASON, COLUMN_TYPE, COLUMN_CODE, COLUMN_ORIGIN};
	enum store_suppression_reason reason = 0;
	const char *origin = suppression_word_of(values[COLUMN_ORIGIN]), *first = NULL;

	for (guint i = 0; reason == 0 && i < G_N_ELEMENTS(places); i++) {
		const char *word = suppression_word_of(values[places[i]]);

		reason = word ? cli_suppression_word(word) : 0;
		first = first || places[i] == COLUMN_ORIGIN ? first : word;
	}
	/* Postmark: ManualSuppression by the recipient. Mailgun: the list of unsubscribes alone has
	   tags. */
	if ((reason == SUPPRESSION_MANUAL && origin &&
		g_ascii_strcasecmp(origin, "recipient") == 0) ||
	    (reason == 0 && !first && suppression_word_of(values[COLUMN_TAGS])))
		reason = SUPPRESSION_UNSUBSCRIBED;
	return reason ? store_suppression_reasons[reason - 1] : first;
}

static bool
suppression_take(const struct cli_import_record *record, void *context, GError **error)
{
	const char *const *values = record->values;
	struct import_batch *batch = context;
	struct store_suppression entry = {.workspace_id = *batch->workspace};

	if (!person_suppress_words(batch->reason ? batch->reason : find_reason(values),
		batch->scope ? batch->scope : suppression_word_of(values[COLUMN_SCOPE]),
		&entry.reason, &entry.scope, error) ||
	    !read_whom(values[COLUMN_EMAIL], values[COLUMN_HASH], &entry, error))
		return false;
	batch->entries[batch->count++] = entry;
	return batch->count < BATCH || suppression_flush(batch, error);
}

/* Applies NAME=USE. name_r: NAME, which the caller frees. */
static bool
use_column(const char *given, GArray *wanted, char **name_r, GError **error)
{
	static const char *const none[] = {NULL};
	const char *sign = strrchr(given, '=');

	*name_r = g_strndup(given, sign ? (gsize)(sign - given) : 0);
	if (!**name_r)
		return base_invalid(error, "--column must be NAME=USE, not \"%s\"", given);
	if (g_ascii_strcasecmp(sign + 1, "ignore") == 0) {
		const struct cli_column ignored = {
		    "ignored column", "--column", *name_r, none, .ignored = true, .late = true};
		g_array_append_val(wanted, ignored);
		return true;
	}
	for (guint i = 0; i < OWN_COLUMNS; i++) {
		struct cli_column *column = &g_array_index(wanted, struct cli_column, i);

		if (g_ascii_strcasecmp(sign + 1, column->field) != 0)
			continue;
		if (column->given)
			return base_invalid(error,
			    "two columns are given for the %s, \"%s\" and \"%s\"", column->field,
			    column->given, *name_r);
		column->given = *name_r;
		column->option = "--column";
		return true;
	}
	return base_invalid(error,
	    "--column: USE must be email, reason, scope, hash or ignore, not \"%s\"", sign + 1);
}

/* The columns to find. names: receives the texts that they borrow. */
static bool
suppression_find_columns(struct cli_call *call, GArray *wanted, GPtrArray *names, GError **error)
{
	char *const *given = call->values[IMPORT_COLUMN].texts;

	g_array_append_vals(wanted, columns, COLUMNS);
	g_array_index(wanted, struct cli_column, COLUMN_EMAIL).given =
	    call->values[IMPORT_EMAIL].text;
	for (; given && *given; given++) {
		char *name;
		bool used = use_column(*given, wanted, &name, error);

		g_ptr_array_add(names, name);
		if (!used)
			return false;
	}
	return true;
}

static bool
import_file(struct cli_call *call, struct import_batch *batch, GPtrArray *unused, guint64 *bad_r,
    GError **error)
{
	g_autoptr(GArray) wanted = g_array_new(FALSE, FALSE, sizeof(struct cli_column));
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

	const char *encoding = call->values[IMPORT_ENCODING].text;
	const char *separator = call->values[IMPORT_SEPARATOR].text;
	struct text_csv_form form = {0};

	if ((encoding && !base_charset_read("--encoding", encoding, &form.charset, error)) ||
	    (separator &&
		!text_csv_read_separator("--separator", separator, &form.separator, error)) ||
	    !suppression_find_columns(call, wanted, names, error))
		return false;
	const struct cli_import import = {
	    .path = call->values[IMPORT_FILE].text,
	    .form = form,
	    .columns = (const struct cli_column *)(void *)wanted->data,
	    .count = wanted->len,
	    .header = !call->values[IMPORT_NO_HEADER].text,
	    .raw = call->values[IMPORT_RAW].text != NULL,
	    .take = suppression_take,
	    .context = batch,
	    .unused = unused,
	};

	return cli_import_run(call, &import, bad_r, error) && suppression_flush(batch, error);
}

static bool
import_entries(struct cli_call *call, GError **error)
{
	struct service *service = call->service;
	struct import_batch batch = {.service = service,
	    .workspace = &call->workspace->id,
	    .reason = call->values[IMPORT_REASON].text,
	    .scope = call->values[IMPORT_SCOPE].text};
	enum store_suppression_reason reason;
	enum store_suppression_scope scope;
	g_autoptr(GPtrArray) unused = g_ptr_array_new_with_free_func(g_free);
	guint64 bad;
	bool done = person_suppress_words(batch.reason, batch.scope, &reason, &scope, error) &&
		    import_file(call, &batch, unused, &bad, error);

	suppression_clear(&batch);
	if (!done)
		return false;
	g_autofree char *good = cli_count(batch.total, "address is", "addresses are");
	g_autofree char *bad_lines = cli_count(bad, "bad line", "bad lines");
	g_autofree char *unused_json = cli_import_unused(unused);
	cli_output_say(call->output,
	    FIELDS(cli_number("suppressed", (gint64)batch.total), cli_number("bad", (gint64)bad),
		cli_json("unused_columns", unused_json)),
	    "%s on the list now, %s.", good, bad_lines);
	return cli_import_end(call, bad, 0, error);
}

enum { EXPORT_FILE, EXPORT_RAW };
static const struct cli_parameter export_parameters[] = {
    [EXPORT_FILE] = EXPORT_PARAMETER_FILE,
    [EXPORT_RAW] = EXPORT_PARAMETER_RAW,
};

#define PAGE 1000

static bool
write_entry(struct cli_export *export, const struct store_suppression *entry, GError **error)
{
	char hash[2 * SHA256_SIZE + 1] = "";

	for (guint i = 0; entry->hashed && i < SHA256_SIZE; i++)
		g_snprintf(hash + 2 * i, 3, "%02x", entry->hash[i]);
	const char *const fields[OWN_COLUMNS] = {entry->email,
	    store_suppression_reasons[entry->reason - 1],
	    store_suppression_scopes[entry->scope - 1], hash};
	return cli_export_write(export, fields, OWN_COLUMNS, error);
}

/* Writes all entries, page by page, newest first. */
static bool
suppression_write_all(struct cli_call *call, struct cli_export *export, GError **error)
{
	static const char *const header[OWN_COLUMNS] = {"email", "reason", "scope", "hash"};
	struct base_id before;
	guint got = PAGE;
	bool begun = false;

	if (!cli_export_write(export, header, OWN_COLUMNS, error))
		return false;
	while (got == PAGE) {
		g_autoptr(GPtrArray) entries = store_suppression_list(
		    call->db, &call->workspace->id, begun ? &before : NULL, PAGE, error);

		if (!entries)
			return false;
		for (guint i = 0; i < entries->len; i++)
			if (!write_entry(export, entries->pdata[i], error))
				return false;
		got = entries->len;
		begun = true;
		if (got > 0)
			before = ((const struct store_suppression *)entries->pdata[got - 1])->id;
	}
	return cli_export_finish(export, error);
}

static bool
export_entries(struct cli_call *call, GError **error)
{
	const char *path = cli_export_path(call->values[EXPORT_FILE].text);
	AUTO(cli_export) export =
	    cli_export_open(path, call->values[EXPORT_RAW].text != NULL, 0, error);

	if (!export || !suppression_write_all(call, export, error))
		return false;
	guint64 count = cli_export_count(export);
	if (path)
		cli_output_say(call->output, FIELDS(cli_number("entries", (gint64)count)),
		    "Entries written to %s: %" G_GUINT64_FORMAT ".", path, count);
	return true;
}

/* The parameters of the verbs that take only an address. */
enum { EMAIL };
#define EMAIL_PARAMETER                                                                            \
	{                                                                                          \
		"EMAIL", "the address", .max = LIMIT_ADDRESS_BYTES                                 \
	}
static const struct cli_parameter email_parameters[] = {
    [EMAIL] = EMAIL_PARAMETER,
};

enum { ADD_EMAIL, ADD_REASON, ADD_SCOPE };
static const struct cli_parameter add_parameters[] = {
    [ADD_EMAIL] = EMAIL_PARAMETER,
    [ADD_REASON] = REASON_OPTION("bounced, complained, unsubscribed, or manual (the default)"),
    [ADD_SCOPE] = SCOPE_OPTION(
	"all: no mail at all; automation: no mailings; the default is all, but automation for the "
	"reason unsubscribed"),
};

enum { REMOVE_EMAIL, REMOVE_OVERRIDE };
static const struct cli_parameter remove_parameters[] = {
    [REMOVE_EMAIL] = EMAIL_PARAMETER,
    [REMOVE_OVERRIDE] = PARAMETER_OVERRIDE("also if the person has unsubscribed"),
};

static const char *
suppression_reason_of(const struct store_suppression *entry)
{
	return store_suppression_reasons[entry->reason - 1];
}

static const struct store_consent_act by_cli = {
    .source = CONSENT_BY_CLI, .author = CONSENT_OF_OPERATOR};

static bool
suppression_add(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	struct service *service = call->service;
	enum store_suppression_reason reason;
	enum store_suppression_scope scope;

	if (!person_suppress_words(
		values[ADD_REASON].text, values[ADD_SCOPE].text, &reason, &scope, error))
		return false;
	AUTO(store_suppression) entry =
	    person_suppress_add(service, &call->workspace->id, values[ADD_EMAIL].text,
		&(struct store_suppression_state){reason, scope}, &by_cli, error);
	if (!entry)
		return false;
	cli_output_say_view(call->output, &(struct cli_thing){&person_suppress_view, entry},
	    entry->scope == SUPPRESSION_ALL ? "%s gets no more mail: %s."
					    : "%s gets no more mailings: %s.",
	    values[ADD_EMAIL].text, suppression_reason_of(entry));
	return true;
}

static bool
suppression_show(struct cli_call *call, GError **error)
{
	struct service *service = call->service;
	AUTO(store_suppression) entry =
	    person_suppress_get(service, &call->workspace->id, call->values[EMAIL].text, error);
	if (!entry)
		return false;
	cli_output_thing_view(call->output, &(struct cli_thing){&person_suppress_view, entry});
	return true;
}

static bool
suppression_remove_one(struct cli_call *call, GError **error)
{
	const char *email = call->values[REMOVE_EMAIL].text;
	struct service *service = call->service;
	struct store_consent_override override = {0};
	const struct store_consent_override *given;

	if (!consent_read(call->values[REMOVE_OVERRIDE].text, &override, &given, error) ||
	    !person_suppress_remove(service, &call->workspace->id, email, &by_cli, given, error))
		return false;
	g_autoptr(GError) failure = NULL;
	AUTO(store_suppression) rest =
	    person_suppress_get(service, &call->workspace->id, email, &failure);
	cli_output_say(call->output, FIELDS(cli_text("email", email), cli_truth("removed", true)),
	    rest ? "%s gets mail again, but no mailings: this person has unsubscribed."
		 : "%s gets mail again.",
	    email);
	return true;
}

enum { LIST_BEFORE, LIST_LIMIT };
static const struct cli_parameter list_parameters[] = {
    [LIST_BEFORE] = PAGE_BEFORE,
    [LIST_LIMIT] = PAGE_LIMIT,
};

/* Writes an entry. Its id, for the next page, is only in JSON. */
static void
suppression_show_row(struct cli_call *call, const struct store_suppression *entry)
{
	const struct cli_field id = cli_member("id", &person_suppress_view, "id", entry);

	cli_output_row_view(call->output,
	    &(struct cli_thing){&person_suppress_view, entry, .more = call->json ? &id : NULL});
}

static bool
suppression_list(struct cli_call *call, GError **error)
{
	guint limit = cli_page_limit(&call->values[LIST_LIMIT]);
	g_autoptr(GPtrArray) entries = store_suppression_list(call->db, &call->workspace->id,
	    cli_page_before(&call->values[LIST_BEFORE]), limit + 1, error);

	if (!entries)
		return false;
	guint count = MIN(entries->len, limit);
	cli_output_list_begin(call->output, "suppressions", "The suppression list is empty.");
	for (guint i = 0; i < count; i++)
		suppression_show_row(call, entries->pdata[i]);
	cli_output_list_end(call->output);
	if (entries->len > count)
		cli_page_rest(call->output,
		    &((const struct store_suppression *)entries->pdata[count - 1])->id);
	return true;
}

static const struct cli_command commands[] = {
    {"list", "List the suppressed addresses, with the reasons, newest first.", NEED_WORKSPACE,
	PARAMETERS(list_parameters), .run = suppression_list},
    {"show", "Show why an address gets no mail, and since when.", NEED_WORKSPACE,
	PARAMETERS(email_parameters), .run = suppression_show},
    {"add", "Put an address on the suppression list.", NEED_WORKSPACE, PARAMETERS(add_parameters),
	.audit = "suppression.created", .run = suppression_add},
    {"remove", "Take an address off the suppression list.", NEED_WORKSPACE,
	PARAMETERS(remove_parameters), .audit = "suppression.deleted",
	.run = suppression_remove_one},
    {"import",
	"Import the addresses of a file into the suppression list. Invalid lines are reported and "
	"skipped. If it was interrupted, run it again.",
	NEED_WORKSPACE, PARAMETERS(import_parameters), .audit = "suppression.created",
	.run = import_entries},
    {"export", "Export the suppression list to a file that suppression import reads.",
	NEED_WORKSPACE, PARAMETERS(export_parameters), .run = export_entries},
};

const struct cli_noun cli_noun_suppression = {"suppression", commands, G_N_ELEMENTS(commands)};
