/* SPDX-License-Identifier: MIT */
/* Reads comma-separated values through libcsv, one line of the file at a time, so that each record
 * is complete before the next one begins; writes them, and guards fields against spreadsheets. */
#include "base/csv.h"

#include <csv.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

#define BLOCK 65536
#define QUOTE '"'
#define FIELD_STEP 16384 /* bytes by which the parser's buffer of a field grows */

/* The treatment of the bytes of the file. */
enum state {
	STATE_READ,
	STATE_DROP_LINE,   /* skip to the end of the line, after a misplaced quote */
	STATE_DROP_RECORD, /* skip to the end of a record that is too long */
};

struct base_csv {
	FILE *file;	/* NULL: memory */
	GBytes *memory; /* of which position is the place */
	guint64 size, position;
	guint8 block[BLOCK];
	gsize used, filled; /* of block */
	bool end;	    /* of the file */

	struct csv_parser parser;
	enum state state;
	guint64 line;  /* of the next byte */
	bool after_cr; /* the last byte was a CR: a following LF belongs to the same line end */

	/* The record that is being read. */
	guint64 begins; /* the line at which it begins, 0 = no record yet */
	gsize bytes;
	bool in_quotes; /* judged by the number of quotes so far */
	GString *text;	/* its fields, each with a NUL at the end */
	GArray *places; /* of gsize: the offset of each field in text */
	const char *fault;
	bool complete;

	GPtrArray *fields; /* the fields of the last record returned */
};

/* RFC 4180: white space is part of a field. */
static int
is_space(unsigned char c)
{
	return 0;
}

static void
start_parser(struct base_csv *csv)
{
	if (csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
		g_error("out of memory");
	csv_set_space_func(&csv->parser, is_space);
	csv_set_blk_size(&csv->parser, FIELD_STEP);
}

static void
forget_record(struct base_csv *csv)
{
	csv->begins = 0;
	csv->bytes = 0;
	csv->in_quotes = false;
	csv->fault = NULL;
	csv->complete = false;
	g_string_truncate(csv->text, 0);
	g_array_set_size(csv->places, 0);
}

static bool
refuse(const char *path, int reason, GError **error)
{
	g_set_error(error, PH_ERROR, reason == ENOENT ? PH_ERROR_NOT_FOUND : PH_ERROR_FAILED,
	    "%s cannot be read: %s", path, g_strerror(reason));
	return false;
}

/* Reads a block of the file, or of the bytes, and returns its size. */
static gsize
read_block(struct base_csv *csv)
{
	if (csv->file)
		return fread(csv->block, 1, BLOCK, csv->file);
	gsize size = MIN(csv->size - csv->position, BLOCK);
	if (size > 0)
		memcpy(csv->block,
		    (const guint8 *)g_bytes_get_data(csv->memory, NULL) + csv->position, size);
	return size;
}

static bool
fill(struct base_csv *csv, GError **error)
{
	csv->used = 0;
	csv->filled = read_block(csv);
	csv->position += csv->filled;
	if (csv->filled == 0 && csv->file && ferror(csv->file))
		return refuse("the file", errno, error);
	csv->end = csv->filled == 0;
	return true;
}

/* Skips a byte order mark of UTF-8, and refuses UTF-16. */
static bool
take_mark(struct base_csv *csv, const char *path, GError **error)
{
	if (!fill(csv, error)) {
		g_clear_error(error);
		return refuse(path, errno, error);
	}
	if (csv->filled >= 3 && memcmp(csv->block, "\xef\xbb\xbf", 3) == 0)
		csv->used = 3;
	if (csv->filled < 2 ||
	    (memcmp(csv->block, "\xff\xfe", 2) != 0 && memcmp(csv->block, "\xfe\xff", 2) != 0))
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s is UTF-16: save it as UTF-8", path);
	return false;
}

static struct base_csv *
new_csv(void)
{
	struct base_csv *csv = g_new0(struct base_csv, 1);

	csv->line = 1;
	csv->text = g_string_new(NULL);
	csv->places = g_array_new(FALSE, FALSE, sizeof(gsize));
	csv->fields = g_ptr_array_new();
	start_parser(csv);
	return csv;
}

struct base_csv *
base_csv_open_bytes(GBytes *bytes, guint64 from, GError **error)
{
	AUTO(base_csv) csv = new_csv();

	csv->memory = g_bytes_ref(bytes);
	csv->size = g_bytes_get_size(bytes);
	csv->position = MIN(from, csv->size);
	return from > 0 || take_mark(csv, "file", error) ? g_steal_pointer(&csv) : NULL;
}

struct base_csv *
base_csv_open(const char *path, GError **error)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	struct stat st;

	if (!file) {
		refuse(path, errno, error);
		return NULL;
	}
	AUTO(base_csv) csv = new_csv();
	csv->file = file;
	if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode))
		csv->size = (guint64)st.st_size;
	return take_mark(csv, path, error) ? g_steal_pointer(&csv) : NULL;
}

void
base_csv_free(struct base_csv *csv)
{
	csv_free(&csv->parser);
	if (csv->file && csv->file != stdin)
		fclose(csv->file);
	g_clear_pointer(&csv->memory, g_bytes_unref);
	g_string_free(csv->text, TRUE);
	g_array_unref(csv->places);
	g_ptr_array_unref(csv->fields);
	g_free(csv);
}

static void
set_fault(struct base_csv *csv, const char *fault)
{
	if (!csv->fault)
		csv->fault = fault;
}

static void
take_field(void *data, size_t size, void *context)
{
	struct base_csv *csv = context;
	gsize place = csv->text->len;

	if (size > 0 && memchr(data, '\0', size))
		set_fault(csv, "it has a NUL byte");
	else if (size > 0 && !g_utf8_validate(data, (gssize)size, NULL))
		set_fault(csv, "it is not UTF-8");
	g_array_append_val(csv->places, place);
	g_string_append_len(csv->text, data, (gssize)size);
	g_string_append_c(csv->text, '\0');
}

static void
take_end(int terminator, void *context)
{
	struct base_csv *csv = context;

	csv->complete = true;
}

/* Refuses the record, and skips its rest. */
static void
drop(struct base_csv *csv, enum state state, const char *fault)
{
	csv_free(&csv->parser);
	start_parser(csv);
	g_string_truncate(csv->text, 0);
	g_array_set_size(csv->places, 0);
	set_fault(csv, fault);
	csv->state = state;
}

/* Parses bytes of one record; only the last of them may end a line. */
static void
take_piece(struct base_csv *csv, const guint8 *piece, gsize size, bool ends_line)
{
	for (const guint8 *p = piece; (p = memchr(p, QUOTE, size - (gsize)(p - piece))); p++)
		csv->in_quotes = !csv->in_quotes;
	csv->bytes += size;
	if (csv->state == STATE_READ && csv->bytes > CSV_RECORD_BYTES)
		drop(csv, STATE_DROP_RECORD,
		    "it is longer than 1 MiB (a quote may not be closed; the lines after it belong "
		    "to it)");
	if (csv->state == STATE_READ &&
	    csv_parse(&csv->parser, piece, size, take_field, take_end, csv) != size)
		drop(csv, STATE_DROP_LINE,
		    "it has a quote in a wrong place: put the whole field in quotes, and double "
		    "those in it");
	if (ends_line && (csv->state == STATE_DROP_LINE ||
			     (csv->state == STATE_DROP_RECORD && !csv->in_quotes))) {
		csv->state = STATE_READ;
		csv->complete = true;
	}
}

/* Returns the number of bytes up to the end of the line, with it. */
static gsize
line_size(const guint8 *start, gsize size, bool *ends_r)
{
	const guint8 *lf = memchr(start, '\n', size);
	gsize before = lf ? (gsize)(lf - start) : size;
	const guint8 *cr = memchr(start, '\r', before);
	const guint8 *end = cr ? cr : lf;

	*ends_r = end != NULL;
	return end ? (gsize)(end - start) + 1 : size;
}

/* Parses the bytes of a line that are in the block. */
static void
take_line(struct base_csv *csv)
{
	const guint8 *start = csv->block + csv->used;
	bool ends;
	gsize size = line_size(start, csv->filled - csv->used, &ends);
	bool second = csv->after_cr && *start == '\n';

	csv->used += size;
	csv->after_cr = ends && start[size - 1] == '\r';
	/* An empty line, or the LF of the previous line's CRLF. */
	if (size == 1 && ends && csv->begins == 0) {
		csv->line += !second;
		return;
	}
	if (csv->begins == 0)
		csv->begins = csv->line;
	take_piece(csv, start, size, ends);
	csv->line += ends && !second;
}

static void
take_rest(struct base_csv *csv)
{
	if (csv->begins == 0)
		return;
	if (csv->state == STATE_READ && csv_fini(&csv->parser, take_field, take_end, csv) != 0)
		set_fault(csv, "its quote is never closed");
	csv->complete = true;
}

static void
give(struct base_csv *csv, struct base_csv_record *record_r)
{
	g_ptr_array_set_size(csv->fields, 0);
	for (guint i = 0; i < csv->places->len && !csv->fault; i++)
		g_ptr_array_add(csv->fields, csv->text->str + g_array_index(csv->places, gsize, i));
	*record_r = (struct base_csv_record){
	    csv->begins, (const char *const *)csv->fields->pdata, csv->fields->len, csv->fault};
}

bool
base_csv_next(struct base_csv *csv, struct base_csv_record *record_r, GError **error)
{
	forget_record(csv);
	while (!csv->complete) {
		if (csv->used < csv->filled) {
			take_line(csv);
			continue;
		}
		if (csv->end || !fill(csv, error))
			return false;
		if (csv->end)
			take_rest(csv);
	}
	give(csv, record_r);
	return true;
}

guint64
base_csv_position(const struct base_csv *csv)
{
	return csv->position - (csv->filled - csv->used);
}

guint64
base_csv_size(const struct base_csv *csv)
{
	return csv->size;
}

bool
base_csv_write(FILE *file, const char *const *fields, guint count)
{
	for (guint i = 0; i < count; i++) {
		const char *field = fields[i] ? fields[i] : "";

		if (i > 0 && putc(',', file) == EOF)
			return false;
		if (csv_fwrite(file, field, strlen(field)) == EOF)
			return false;
	}
	return fputs("\r\n", file) != EOF;
}

/* Returns whether text begins, after any number of ', with a character that starts a formula in a
   spreadsheet. */
static bool
is_formula(const char *text)
{
	text += strspn(text, "'");
	return *text && strchr("=+-@\t\r", *text);
}

const char *
base_csv_guard(const char *text, char **buffer_r)
{
	*buffer_r = text && is_formula(text) ? g_strconcat("'", text, NULL) : NULL;
	return *buffer_r ? *buffer_r : text;
}

const char *
base_csv_unguard(const char *text)
{
	return *text == '\'' && is_formula(text) ? text + 1 : text;
}

char *
base_csv_fold(const char *header)
{
	g_autofree char *lower = g_utf8_casefold(header, -1);
	GString *folded = g_string_new(NULL);

	for (const char *p = lower; *p; p = g_utf8_next_char(p))
		if (g_unichar_isalnum(g_utf8_get_char(p)))
			g_string_append_unichar(folded, g_utf8_get_char(p));
	return g_string_free(folded, FALSE);
}
