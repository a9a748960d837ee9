/* SPDX-License-Identifier: MIT */
/* Files of comma-separated values: text/csv.h and the columns of cli/import.h with any bytes. */
#include "text/csv.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/import.h"
#include "tests/fuzz/fuzz.h"

static const char *const emails[] = {"email", "mail", NULL};
static const char *const names[] = {"name", "firstname", NULL};
static const struct cli_column columns[] = {
    {"email", "--email", NULL, emails, .required = true},
    {"name", "--name", NULL, names, .required = false},
    {"other", "--other", "2", names, .required = false},
};
#define COLUMNS G_N_ELEMENTS(columns)

/* A file of these bytes; the caller closes it, and frees its path. */
static int
csv_fuzzer_open_file(const void *data, gsize size, char **path_r)
{
	int file = memfd_create("fuzz", MFD_CLOEXEC);

	if (file < 0 || write(file, data, size) != (gssize)size)
		g_error("cannot make a file in memory");
	*path_r = g_strdup_printf("/proc/self/fd/%d", file);
	return file;
}

static void
check_formula(const char *field)
{
	g_autofree char *buffer = NULL;
	const char *guarded = text_csv_guard(field, &buffer);

	g_assert(strlen(guarded) <= strlen(field) + 1);
	g_assert(!*guarded || !strchr("=+-@\t\r", *guarded));
	g_assert_cmpstr(text_csv_unguard(guarded), ==, field);
}

static void
check_record(const struct text_csv_record *record, guint64 last_line)
{
	gsize bytes = 0;

	g_assert(record->line > last_line);
	for (guint i = 0; i < record->count; i++) {
		g_assert(g_utf8_validate(record->fields[i], -1, NULL));
		check_formula(record->fields[i]);
		bytes += strlen(record->fields[i]);
	}
	g_assert(bytes <= CSV_RECORD_BYTES);
	g_assert((record->count == 0) == (record->fault != NULL));
}

static void
csv_fuzzer_check_columns(const struct text_csv_record *record, guint count, bool header)
{
	int places[COLUMNS];
	g_autoptr(GError) error = NULL;

	if (!cli_import_find_columns(columns, count, header, record, places, &error)) {
		g_assert(g_utf8_validate(error->message, -1, NULL));
		return;
	}
	for (guint i = 0; i < count; i++)
		g_assert(places[i] >= COLUMN_NONE && places[i] < (int)record->count);
}

/* Reads all records; those that are no good are left out. NULL: it is no file to read. */
static GPtrArray *
csv_fuzzer_read_all(const void *data, gsize size)
{
	g_autoptr(GPtrArray) records = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
	g_autofree char *path = NULL;
	int file = csv_fuzzer_open_file(data, size, &path);
	AUTO(text_csv) csv = text_csv_open(path, NULL, NULL);
	struct text_csv_record record;
	guint64 last = 0;

	close(file);
	while (csv && text_csv_next(csv, &record, NULL)) {
		check_record(&record, last);
		last = record.line;
		if (record.fault)
			continue;
		csv_fuzzer_check_columns(&record, COLUMNS, true);
		csv_fuzzer_check_columns(&record, COLUMNS - 1, false);
		g_autoptr(GStrvBuilder) fields = g_strv_builder_new();
		for (guint i = 0; i < record.count; i++)
			g_strv_builder_add(fields, record.fields[i]);
		g_ptr_array_add(records, g_strv_builder_end(fields));
	}
	if (csv)
		g_assert_cmpuint(text_csv_position(csv), ==, size);
	return csv ? g_steal_pointer(&records) : NULL;
}

/* All of them as a file. The caller frees it as C memory. */
static char *
csv_fuzzer_write_all(const GPtrArray *records, gsize *size_r)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, size_r);

	/* A first line "sep=;" would be no record. */
	g_assert(text_csv_write(file, (const char *const[]){"first"}, 1));
	for (guint i = 0; i < records->len; i++) {
		char **fields = records->pdata[i];

		g_assert(text_csv_write(file, (const char *const *)fields, g_strv_length(fields)));
	}
	fclose(file);
	return text;
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	g_autoptr(GPtrArray) records = csv_fuzzer_read_all(data, size);
	gsize written_size;

	if (!records)
		return 0;
	char *written = csv_fuzzer_write_all(records, &written_size);
	g_autoptr(GPtrArray) again = csv_fuzzer_read_all(written, written_size);
	g_assert(again && again->len == records->len + 1);
	for (guint i = 0; i < records->len; i++)
		g_assert(g_strv_equal((const char *const *)records->pdata[i],
		    (const char *const *)again->pdata[i + 1]));
	free(written);
	return 0;
}
