/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/csv.h"

static char *path;

static void
begin(void)
{
	int fd = g_file_open_tmp("posthouse-csv.XXXXXX", &path, NULL);

	cr_assert_geq(fd, 0);
	close(fd);
}

static void
end(void)
{
	g_unlink(path);
	g_free(path);
}

TestSuite(csv, .init = begin, .fini = end, .timeout = 900);

static void
put(const char *content, gsize size)
{
	cr_assert(g_file_set_contents(path, content, (gssize)size, NULL));
}

/* All records of the file in one line: "LINE:field|field" or "LINE!" and the fault, up to the first
   colon or bracket. */
static char *
read_all(void)
{
	g_autoptr(GError) error = NULL;
	AUTO(base_csv) csv = base_csv_open(path, &error);
	struct base_csv_record record;
	GString *text = g_string_new(NULL);

	cr_assert(csv, "%s", error ? error->message : "");
	while (base_csv_next(csv, &record, &error)) {
		g_string_append_printf(text, "%s%d%s", text->len > 0 ? " " : "", (int)record.line,
		    record.fault ? "!" : ":");
		if (record.fault)
			g_string_append_len(
			    text, record.fault, (gssize)strcspn(record.fault, ":("));
		for (guint i = 0; i < record.count; i++)
			g_string_append_printf(text, "%s%s", i > 0 ? "|" : "", record.fields[i]);
	}
	cr_assert_null(error);
	return g_string_free(text, FALSE);
}

#define QUOTE "it has a quote in a wrong place"
#define OPEN "its quote is never closed"
#define NUL "it has a NUL byte"
#define NO_UTF8 "it is not UTF-8"

static const struct {
	const char *name, *content;
	gsize size; /* 0: up to the NUL */
	const char *want;
} cases[] = {
    {"nothing", "", 0, ""},
    {"one field", "a", 0, "1:a"},
    {"without a last line end", "a,b\nc,d", 0, "1:a|b 2:c|d"},
    {"with one", "a,b\nc,d\n", 0, "1:a|b 2:c|d"},
    {"CRLF", "a,b\r\nc,d\r\n", 0, "1:a|b 2:c|d"},
    {"CR", "a,b\rc,d\r", 0, "1:a|b 2:c|d"},
    {"line ends of all kinds", "a\r\nb\nc\rd\n\re\n", 0, "1:a 2:b 3:c 4:d 6:e"},
    {"empty lines", "\n\r\n\ra\n\n\nb\n\n", 0, "4:a 7:b"},
    {"empty fields", ",\n\"\",\n,,", 0, "1:| 2:| 3:||"},
    {"white space is data", " a , b\n\"c\",\t\n", 0, "1: a | b 2:c|\t"},
    {"quotes", "\"a,b\",\"say \"\"x\"\"\"\n", 0, "1:a,b|say \"x\""},
    {"lines in quotes", "\"a\nb\r\nc\",d\ne,f\n", 0, "1:a\nb\r\nc|d 4:e|f"},
    {"CR in quotes", "\"a\rb\"\rc\r", 0, "1:a\rb 3:c"},
    {"UTF-8 with a mark", "\xef\xbb\xbf\"a\",ö\nb", 0, "1:a|ö 2:b"},
    {"a mark alone", "\xef\xbb\xbf", 0, ""},
    {"a mark in the middle is data", "a\n\xef\xbb\xbf,b", 0, "1:a 2:\xef\xbb\xbf|b"},
    {"a quote in a field", "a\"b,c\nd,e\n", 0, "1!" QUOTE " 2:d|e"},
    {"text behind a quoted field", "\"a\"b,c\nd,e\n", 0, "1!" QUOTE " 2:d|e"},
    {"a space behind a quoted field", "\"a\" ,c\nd,e\n", 0, "1!" QUOTE " 2:d|e"},
    {"a single quote", "a,\"\nb,c\n", 0, "1!" OPEN},
    {"a quote that ends the file", "a\nb,\"", 0, "1:a 2!" OPEN},
    {"faults in each line", "a\"\r\nb\"\rc\"\nd", 0, "1!" QUOTE " 2!" QUOTE " 3!" QUOTE " 4:d"},
    {"NUL", "a,\0\nb,c\n", 8, "1!" NUL " 2:b|c"},
    {"NUL in quotes", "\"a\0\",d\nb,c\n", 11, "1!" NUL " 2:b|c"},
    {"Latin-1", "a,J\xf6rg\nb,J\xc3\xb6rg\n", 0, "1!" NO_UTF8 " 2:b|Jörg"},
    {"overlong UTF-8", "\xc0\xaf\nb\n", 0, "1!" NO_UTF8 " 2:b"},
    {"a surrogate", "\xed\xa0\x80\nb\n", 0, "1!" NO_UTF8 " 2:b"},
};

Test(csv, reads_what_there_is_and_tells_of_the_rest)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		put(cases[i].content, cases[i].size ? cases[i].size : strlen(cases[i].content));
		g_autofree char *got = read_all();

		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

/* A file whose line ends fall on each position around the end of a block. */
Test(csv, reads_across_its_blocks)
{
	for (guint before = 65536 - 8; before <= 65536 + 1; before++) {
		GString *content = g_string_new(NULL);

		while (content->len + 1 < before)
			g_string_append_c(content, 'x');
		g_string_append(content, "\n\"b\r\nc\",d\r\ne\"\r\nf");
		put(content->str, content->len);
		g_string_free(content, TRUE);
		g_autofree char *all = read_all();
		const char *got = strchr(all, ' ');
		cr_expect_str_eq(got, " 2:b\r\nc|d 4!" QUOTE " 5:f", "%u: got %s", before, got);
	}
}

/* A record at the limit, and one byte past it; the next records are not affected. */
Test(csv, bounds_its_records)
{
	for (gsize past = 0; past <= 1; past++) {
		GString *content = g_string_new("a,b\n");

		for (gsize i = 0; i + 1 < CSV_RECORD_BYTES + past; i++)
			g_string_append_c(content, 'x');
		g_string_append(content, "\nc,d\n");
		put(content->str, content->len);
		g_string_free(content, TRUE);
		g_autofree char *all = read_all();
		cr_expect(g_str_has_suffix(all, " 3:c|d"), "%s", all + strlen(all) - 20);
		cr_expect_eq(g_str_has_prefix(all, "1:a|b 2!it is longer than 1 MiB"), past == 1,
		    "%.40s", all);
	}
}

/* A too long field in quotes is skipped as a whole, with the lines in it. */
Test(csv, passes_over_a_long_field_as_a_whole)
{
	GString *content = g_string_new("\"");

	for (guint i = 0; i < CSV_RECORD_BYTES / 8; i++)
		g_string_append(content, "evil,\"\"\n");
	g_string_append(content, "\",x\nb,c\n");
	put(content->str, content->len);
	g_string_free(content, TRUE);
	g_autofree char *got = read_all();
	g_autofree char *want =
	    g_strdup_printf("1!it is longer than 1 MiB  %d:b|c", CSV_RECORD_BYTES / 8 + 2);
	cr_expect_str_eq(got, want, "got %s", got);
}

Test(csv, cannot_open_what_is_no_text)
{
	static const struct {
		const char *name, *content;
		gsize size;
	} utf16[] = {
	    {"little-endian",
		"\xff\xfe"
		"a\0",
		4},
	    {"big-endian", "\xfe\xff\0a", 4},
	    {"nothing but the mark", "\xff\xfe", 2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(utf16); i++) {
		g_autoptr(GError) error = NULL;

		put(utf16[i].content, utf16[i].size);
		cr_expect_null(base_csv_open(path, &error), "%s", utf16[i].name);
		cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID), "%s", utf16[i].name);
	}
	g_autoptr(GError) missing = NULL, folder = NULL;
	cr_expect_null(base_csv_open("/nowhere/at.all", &missing));
	cr_expect(g_error_matches(missing, PH_ERROR, PH_ERROR_NOT_FOUND));
	cr_expect_null(base_csv_open("/", &folder));
	cr_expect(g_error_matches(folder, PH_ERROR, PH_ERROR_FAILED));
}

static const char *const odd[] = {
    "", "a", "=1+1", "'", "\tx", " x ", "\"quoted\"", "\"", "a,b", "line\r\nend", "\n", "ö"};

Test(csv, reads_what_it_writes)
{
	FILE *file = fopen(path, "w");

	cr_assert(file);
	cr_expect(base_csv_write(file, odd, G_N_ELEMENTS(odd)));
	cr_expect(base_csv_write(file, (const char *const[]){NULL, "x"}, 2));
	fclose(file);
	AUTO(base_csv) csv = base_csv_open(path, NULL);
	struct base_csv_record record;
	cr_assert(base_csv_next(csv, &record, NULL));
	cr_assert_eq(record.count, G_N_ELEMENTS(odd), "got %u", record.count);
	for (gsize i = 0; i < G_N_ELEMENTS(odd); i++)
		cr_expect_str_eq(record.fields[i], odd[i]);
	cr_assert(base_csv_next(csv, &record, NULL));
	cr_expect(record.count == 2 && !*record.fields[0]);
	cr_expect_not(base_csv_next(csv, &record, NULL));
	cr_expect_eq(base_csv_position(csv), base_csv_size(csv));
}

static const char *const texts[] = {"", "a", "=1+1", "'=1+1", "''=x", "+1", "-", "@x", "\tx", "\rx",
    "'t Hooft", "'", "''", "a=b", " =1", "\"quoted\"", "a,b", "line\r\nend", "\n", "ö"};

Test(formula, is_guarded_and_the_guard_taken_away)
{
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *buffer = NULL;
		const char *guarded = base_csv_guard(texts[i], &buffer);

		cr_expect(
		    !*guarded || !strchr("=+-@\t\r", *guarded), "%s: got %s", texts[i], guarded);
		cr_expect_str_eq(base_csv_unguard(guarded), texts[i], "%s", texts[i]);
	}
	g_autofree char *buffer = NULL, *none = NULL;
	cr_expect_str_eq(base_csv_guard("=1", &buffer), "'=1");
	cr_expect_str_eq(base_csv_unguard("'t Hooft"), "'t Hooft");
	cr_expect_null(base_csv_guard(NULL, &none));
}

/* Reading can go on behind any record. */
Test(csv, reads_bytes_from_a_position)
{
	static const char content[] = "\xef\xbb\xbf"
				      "a,b\r\n1,\"x\ny\"\r\n\r\n2,z";
	g_autoptr(GBytes) bytes = g_bytes_new_static(content, sizeof(content) - 1);
	static const char *const want[] = {"a", "1", "2"};
	guint64 from = 0;

	for (guint i = 0; i < G_N_ELEMENTS(want); i++) {
		AUTO(base_csv) csv = base_csv_open_bytes(bytes, from, NULL);
		struct base_csv_record record;

		cr_assert(csv && base_csv_next(csv, &record, NULL), "record %u", i);
		cr_expect_eq(record.count, 2);
		cr_expect_str_eq(record.fields[0], want[i]);
		from = base_csv_position(csv);
	}
	AUTO(base_csv) csv = base_csv_open_bytes(bytes, from, NULL);
	struct base_csv_record record;
	cr_expect_eq(from, sizeof(content) - 1);
	cr_expect_not(base_csv_next(csv, &record, NULL));
	g_autoptr(GBytes) nothing = g_bytes_new_static("", 0);
	AUTO(base_csv) empty = base_csv_open_bytes(nothing, 0, NULL);
	cr_expect_not(base_csv_next(empty, &record, NULL));
}

Test(csv, refuses_bytes_of_utf_16)
{
	g_autoptr(GBytes) bytes = g_bytes_new_static("\xff\xfe"
						     "a",
	    3);
	g_autoptr(GError) error = NULL;

	cr_assert_null(base_csv_open_bytes(bytes, 0, &error));
	cr_expect_str_eq(error->message, "file is UTF-16: save it as UTF-8");
}
