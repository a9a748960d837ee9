/* SPDX-License-Identifier: MIT */
/* Reads comma-separated values through libcsv, one line of the file at a time, so that each record
 * is complete before the next one begins; writes them, and guards fields against spreadsheets. */
#include "text/csv.h"

#include <csv.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"

#define BLOCK 65536
#define RAW (BLOCK / 3) /* bytes whose UTF-8 is in a block */
#define QUOTE '"'
#define FIELD_STEP 16384 /* bytes by which the parser's buffer of a field grows */

/* The treatment of the bytes of the file. */
enum state {
	STATE_READ,
	STATE_DROP_LINE,   /* skip to the end of the line, after a misplaced quote */
	STATE_DROP_RECORD, /* skip to the end of a record that is too long */
};

struct text_csv {
	FILE *file;		   /* NULL: memory */
	GBytes *memory;		   /* in UTF-8, of which position is the place */
	enum base_charset charset; /* of the file */
	GByteArray *raw;     /* bytes of the file that are not decoded yet; NULL: it is UTF-8 */
	GByteArray *decoded; /* the next block */
	char separator;
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
	bool is_not_utf8;
	bool complete;

	GPtrArray *fields; /* the fields of the last record returned */
};

/* RFC 4180: white space is part of a field. */
static int
csv_is_space(unsigned char c)
{
	return 0;
}

static void
start_parser(struct text_csv *csv)
{
	if (csv_init(&csv->parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
		g_error("out of memory");
	csv_set_space_func(&csv->parser, csv_is_space);
	csv_set_blk_size(&csv->parser, FIELD_STEP);
	csv_set_delim(&csv->parser, (unsigned char)csv->separator);
}

static void
forget_record(struct text_csv *csv)
{
	csv->begins = 0;
	csv->bytes = 0;
	csv->in_quotes = false;
	csv->fault = NULL;
	csv->is_not_utf8 = false;
	csv->complete = false;
	g_string_truncate(csv->text, 0);
	g_array_set_size(csv->places, 0);
}

static bool
csv_refuse(const char *path, int reason, GError **error)
{
	g_set_error(error, PH_ERROR, base_file_code(reason), "%s cannot be read: %s", path,
	    g_strerror(reason));
	return false;
}

/* Decodes as much as a block takes, from what was read ahead and then from the file. */
static gsize
decode_block(struct text_csv *csv)
{
	guint had = csv->raw->len;

	if (had < RAW) {
		g_byte_array_set_size(csv->raw, RAW);
		gsize got = fread(csv->raw->data + had, 1, RAW - had, csv->file);
		g_byte_array_set_size(csv->raw, had + (guint)got);
	}
	bool last = csv->raw->len < RAW;
	g_byte_array_set_size(csv->decoded, 0);
	gsize read = base_charset_decode(
	    csv->charset, csv->raw->data, MIN(csv->raw->len, RAW), last, csv->decoded);
	g_byte_array_remove_range(csv->raw, 0, (guint)read);
	csv->position += read;
	memcpy(csv->block, csv->decoded->data, csv->decoded->len);
	return csv->decoded->len;
}

/* Reads a block of the file, or of the bytes, and returns its size. */
static gsize
csv_read_block(struct text_csv *csv)
{
	gsize size;

	if (csv->raw)
		return decode_block(csv);
	if (csv->file)
		size = fread(csv->block, 1, BLOCK, csv->file);
	else {
		size = MIN(csv->size - csv->position, BLOCK);
		if (size > 0)
			memcpy(csv->block,
			    (const guint8 *)g_bytes_get_data(csv->memory, NULL) + csv->position,
			    size);
	}
	csv->position += size;
	return size;
}

static bool
csv_fill(struct text_csv *csv, GError **error)
{
	csv->used = 0;
	csv->filled = csv_read_block(csv);
	if (csv->filled == 0 && csv->file && ferror(csv->file))
		return csv_refuse("the file", errno, error);
	csv->end = csv->filled == 0;
	return true;
}

/* Finds the encoding by the begin of the file, which is in the block, and passes over a mark. */
static void
take_mark(struct text_csv *csv, enum base_charset given)
{
	gsize mark;

	csv->charset = base_charset_find(csv->block, csv->filled, given, &mark);
	csv->used = mark;
	if (csv->charset == CHARSET_UTF_8)
		return;
	csv->raw = g_byte_array_sized_new(BLOCK);
	csv->decoded = g_byte_array_sized_new(BLOCK);
	g_byte_array_append(csv->raw, csv->block + mark, (guint)(csv->filled - mark));
	csv->position = mark;
	csv->end = false;
	csv->used = 0;
	csv->filled = decode_block(csv);
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

static const char separators[] = {',', ';', '\t'};

static bool
is_separator(guint8 c)
{
	return c && memchr(separators, c, sizeof(separators));
}

/* Passes over the line by which Excel names the separator, "sep=;". Returns the separator; 0: there
   is no such line. */
static char
take_sep(struct text_csv *csv)
{
	bool ends;
	const guint8 *start = csv->block + csv->used;
	gsize line = line_size(start, csv->filled - csv->used, &ends);
	gsize size = line - ends, quotes = size > 0 && *start == QUOTE ? 1 : 0;
	char separator = size == 5 + 2 * quotes ? (char)start[4 + quotes] : 0;

	if (!is_separator((guint8)separator) ||
	    g_ascii_strncasecmp((const char *)start + quotes, "sep=", 4) != 0 ||
	    (quotes && start[size - 1] != QUOTE))
		return 0;
	csv->used += line;
	csv->line += ends;
	csv->after_cr = ends && start[line - 1] == '\r';
	return separator;
}

/* The separator that the first line with a text has most often outside of quotes. */
static char
find_separator(const struct text_csv *csv)
{
	guint seen[sizeof(separators)] = {0}, best = 0;
	bool in_quotes = false, has_text = false;

	for (gsize i = csv->used; i < csv->filled; i++) {
		guint8 c = csv->block[i];

		in_quotes ^= c == QUOTE;
		if (!in_quotes && (c == '\n' || c == '\r')) {
			if (has_text)
				break;
			memset(seen, 0, sizeof(seen));
		}
		has_text |= c > ' ' && c != QUOTE && !is_separator(c);
		for (guint k = 0; k < sizeof(separators) && !in_quotes; k++)
			seen[k] += c == (guint8)separators[k];
	}
	for (guint k = 1; k < sizeof(separators); k++)
		if (seen[k] > seen[best])
			best = k;
	return separators[best];
}

static struct text_csv *
new_csv(void)
{
	struct text_csv *csv = g_new0(struct text_csv, 1);

	csv->line = 1;
	csv->separator = ',';
	csv->text = g_string_new(NULL);
	csv->places = g_array_new(FALSE, FALSE, sizeof(gsize));
	csv->fields = g_ptr_array_new();
	start_parser(csv);
	return csv;
}

/* Reads the first block, and finds the form of the file. */
static bool
begin(struct text_csv *csv, const struct text_csv_form *form, const char *path, GError **error)
{
	if (!csv_fill(csv, error)) {
		g_clear_error(error);
		return csv_refuse(path, errno, error);
	}
	take_mark(csv, form && csv->file ? form->charset : CHARSET_UTF_8);
	char said = take_sep(csv);
	csv->separator = form && form->separator ? form->separator
			 : said			 ? said
						 : find_separator(csv);
	csv_set_delim(&csv->parser, (unsigned char)csv->separator);
	return true;
}

struct text_csv *
text_csv_open_bytes(GBytes *bytes, const struct text_csv_form *form)
{
	struct text_csv *csv = new_csv();
	gsize mark;
	const guint8 *data = g_bytes_get_data(bytes, &csv->size);

	csv->charset =
	    base_charset_find(data, csv->size, form ? form->charset : CHARSET_UTF_8, &mark);
	csv->memory = base_charset_text(bytes, csv->charset);
	csv->size = g_bytes_get_size(csv->memory);
	enum base_charset charset = csv->charset;
	begin(csv, form, NULL, NULL);
	csv->charset = charset;
	return csv;
}

struct text_csv *
text_csv_open(const char *path, const struct text_csv_form *form, GError **error)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	struct stat st;

	if (!file) {
		csv_refuse(path, errno, error);
		return NULL;
	}
	AUTO(text_csv) csv = new_csv();
	csv->file = file;
	if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode))
		csv->size = (guint64)st.st_size;
	return begin(csv, form, path, error) ? g_steal_pointer(&csv) : NULL;
}

void
text_csv_free(struct text_csv *csv)
{
	csv_free(&csv->parser);
	if (csv->file && csv->file != stdin)
		fclose(csv->file);
	g_clear_pointer(&csv->memory, g_bytes_unref);
	g_clear_pointer(&csv->raw, g_byte_array_unref);
	g_clear_pointer(&csv->decoded, g_byte_array_unref);
	g_string_free(csv->text, TRUE);
	g_array_unref(csv->places);
	g_ptr_array_unref(csv->fields);
	g_free(csv);
}

static void
set_fault(struct text_csv *csv, const char *fault)
{
	if (!csv->fault)
		csv->fault = fault;
}

static const char *const foreign_faults[] = {
    [CHARSET_UTF_8] = "it is not UTF-8",
    [CHARSET_WINDOWS_1252] = "it is not windows-1252",
    [CHARSET_LATIN_1] = "it is not latin1",
    [CHARSET_UTF_16LE] = "it is not UTF-16",
    [CHARSET_UTF_16BE] = "it is not UTF-16",
};

static void
take_field(void *data, size_t size, void *context)
{
	struct text_csv *csv = context;
	gsize place = csv->text->len;

	if (size > 0 && memchr(data, '\0', size))
		set_fault(csv, "it has a NUL byte");
	else if (size > 0 && !g_utf8_validate(data, (gssize)size, NULL)) {
		csv->is_not_utf8 |= !csv->fault && csv->charset == CHARSET_UTF_8;
		set_fault(csv, foreign_faults[csv->charset]);
	}
	g_array_append_val(csv->places, place);
	g_string_append_len(csv->text, data, (gssize)size);
	g_string_append_c(csv->text, '\0');
}

static void
take_end(int terminator, void *context)
{
	struct text_csv *csv = context;

	csv->complete = true;
}

/* Refuses the record, and skips its rest. */
static void
csv_drop(struct text_csv *csv, enum state state, const char *fault)
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
csv_take_piece(struct text_csv *csv, const guint8 *piece, gsize size, bool ends_line)
{
	for (const guint8 *p = piece; (p = memchr(p, QUOTE, size - (gsize)(p - piece))); p++)
		csv->in_quotes = !csv->in_quotes;
	csv->bytes += size;
	if (csv->state == STATE_READ && csv->bytes > CSV_RECORD_BYTES)
		csv_drop(csv, STATE_DROP_RECORD,
		    "it is longer than 1 MiB (a quote may not be closed; the lines after it belong "
		    "to it)");
	if (csv->state == STATE_READ &&
	    csv_parse(&csv->parser, piece, size, take_field, take_end, csv) != size)
		csv_drop(csv, STATE_DROP_LINE,
		    "it has a quote in a wrong place: put the whole field in quotes, and double "
		    "those in it");
	if (ends_line && (csv->state == STATE_DROP_LINE ||
			     (csv->state == STATE_DROP_RECORD && !csv->in_quotes))) {
		csv->state = STATE_READ;
		csv->complete = true;
	}
}

/* Parses the bytes of a line that are in the block. */
static void
csv_take_line(struct text_csv *csv)
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
	csv_take_piece(csv, start, size, ends);
	csv->line += ends && !second;
}

static void
csv_take_rest(struct text_csv *csv)
{
	if (csv->begins == 0)
		return;
	if (csv->state == STATE_READ && csv_fini(&csv->parser, take_field, take_end, csv) != 0)
		set_fault(csv, "its quote is never closed");
	csv->complete = true;
}

static void
csv_give(struct text_csv *csv, struct text_csv_record *record_r)
{
	g_ptr_array_set_size(csv->fields, 0);
	for (guint i = 0; i < csv->places->len && !csv->fault; i++)
		g_ptr_array_add(csv->fields, csv->text->str + g_array_index(csv->places, gsize, i));
	*record_r = (struct text_csv_record){csv->begins, (const char *const *)csv->fields->pdata,
	    csv->fields->len, csv->fault, csv->is_not_utf8};
}

/* Reads the bytes of the next record. False: there is none. */
static bool
csv_next(struct text_csv *csv, GError **error)
{
	forget_record(csv);
	while (!csv->complete) {
		if (csv->used < csv->filled) {
			csv_take_line(csv);
			continue;
		}
		if (csv->end || !csv_fill(csv, error))
			return false;
		if (csv->end)
			csv_take_rest(csv);
	}
	return true;
}

/* White space, a no-break space, and characters without width, which copies of tables have. */
static bool
csv_is_blank(const char *text)
{
	gunichar c = (guchar)*text < 0x80 ? (gunichar)*text : g_utf8_get_char(text);

	return c && (g_unichar_isspace(c) || c == 0x200B || c == 0xFEFF);
}

static const char *
csv_skip_space(const char *text)
{
	while (csv_is_blank(text))
		text = g_utf8_next_char(text);
	return text;
}

static bool
csv_is_empty(const struct text_csv *csv)
{
	for (guint i = 0; i < csv->places->len; i++)
		if (*csv_skip_space(csv->text->str + g_array_index(csv->places, gsize, i)))
			return false;
	return true;
}

bool
text_csv_next(struct text_csv *csv, struct text_csv_record *record_r, GError **error)
{
	do
		if (!csv_next(csv, error))
			return false;
	while (!csv->fault && csv_is_empty(csv));
	csv_give(csv, record_r);
	return true;
}

guint64
text_csv_position(const struct text_csv *csv)
{
	return csv->raw ? csv->position : csv->position - (csv->filled - csv->used);
}

struct text_csv_place
text_csv_place(const struct text_csv *csv)
{
	return (struct text_csv_place){text_csv_position(csv), csv->line};
}

void
text_csv_seek(struct text_csv *csv, const struct text_csv_place *place)
{
	forget_record(csv);
	csv->used = csv->filled = 0;
	csv->position = MIN(place->position, csv->size);
	csv->line = place->line;
	csv->end = false;
	const guint8 *data = g_bytes_get_data(csv->memory, NULL);
	csv->after_cr = csv->position > 0 && data[csv->position - 1] == '\r';
}

char
text_csv_separator(const struct text_csv *csv)
{
	return csv->separator;
}

bool
text_csv_read_separator(const char *what, const char *text, char *separator_r, GError **error)
{
	static const char *const words[sizeof(separators)] = {"comma", "semicolon", "tab"};

	for (guint i = 0; i < sizeof(separators); i++)
		if (g_ascii_strcasecmp(text, words[i]) == 0 ||
		    (text[0] == separators[i] && !text[1])) {
			*separator_r = separators[i];
			return true;
		}
	return base_invalid(error, "%s must be comma, semicolon or tab", what);
}

const char *
text_csv_trim(const char *text, GString *buffer)
{
	const char *begin = csv_skip_space(text), *end = begin + strlen(begin);

	while (end > begin && csv_is_blank(g_utf8_prev_char(end)))
		end = g_utf8_prev_char(end);
	if (!*end)
		return begin;
	g_string_truncate(buffer, 0);
	g_string_append_len(buffer, begin, end - begin);
	return buffer->str;
}

guint64
text_csv_size(const struct text_csv *csv)
{
	return csv->size;
}

bool
text_csv_write(FILE *file, const char *const *fields, guint count)
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
text_csv_guard(const char *text, char **buffer_r)
{
	*buffer_r = text && is_formula(text) ? g_strconcat("'", text, NULL) : NULL;
	return *buffer_r ? *buffer_r : text;
}

const char *
text_csv_unguard(const char *text)
{
	return *text == '\'' && is_formula(text) ? text + 1 : text;
}

char *
text_csv_fold(const char *header)
{
	g_autofree char *lower = g_utf8_casefold(header, -1);
	GString *folded = g_string_new(NULL);

	for (const char *p = lower; *p; p = g_utf8_next_char(p))
		if (g_unichar_isalnum(g_utf8_get_char(p)))
			g_string_append_unichar(folded, g_utf8_get_char(p));
	return g_string_free(folded, FALSE);
}
