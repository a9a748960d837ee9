/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "text/csv.h"

static char *path;

static void
csv_begin(void)
{
	int fd = g_file_open_tmp("posthouse-csv.XXXXXX", &path, NULL);

	cr_assert_geq(fd, 0);
	close(fd);
}

static void
csv_end(void)
{
	g_unlink(path);
	g_free(path);
}

TestSuite(csv, .init = csv_begin, .fini = csv_end, .timeout = 900);

static void
csv_put(const char *content, gsize size)
{
	cr_assert(g_file_set_contents(path, content, (gssize)size, NULL));
}

/* All records of the file in one line: "LINE:field|field" or "LINE!" and the fault, up to the first
   colon or bracket. */
static char *
read_as(const struct text_csv_form *form)
{
	g_autoptr(GError) error = NULL;
	AUTO(text_csv) csv = text_csv_open(path, form, &error);
	struct text_csv_record record;
	GString *text = g_string_new(NULL);

	cr_assert(csv, "%s", error ? error->message : "");
	while (text_csv_next(csv, &record, &error)) {
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

static char *
csv_read_all(void)
{
	return read_as(NULL);
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
    {"empty fields", "a,\n\"\",b\n,,c", 0, "1:a| 2:|b 3:||c"},
    {"lines of separators and blanks", ",\na,b\n\"\",\n , \n;\n\xc2\xa0\n,,", 0, "2:a|b 5:;"},
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
    {"semicolons", "a;b\n1,5;2\n", 0, "1:a|b 2:1,5|2"},
    {"tabs", "a\tb c\n1;5\t2,0\n", 0, "1:a|b c 2:1;5|2,0"},
    {"most often", "a;b,c;d\n", 0, "1:a|b,c|d"},
    {"as often", "a;b,c\n", 0, "1:a;b|c"},
    {"those in quotes do not count", "\"a;b;c\nd;\",e\n1;2,3\n", 0, "1:a;b;c\nd;|e 3:1;2|3"},
    {"the first line with a text", ";;;\n\n,,\na\tb\n", 0, "1:;;; 3:,, 4:a|b"},
    {"Excel's line", "sep=;\r\na,b;c\r\nd;e\r\n", 0, "2:a,b|c 3:d|e"},
    {"Excel's line in quotes, with a mark", "\xef\xbb\xbf\"sep=\t\"\na,b\tc\n", 0, "2:a,b|c"},
    {"Excel's line alone", "SEP=,", 0, ""},
    {"no line of Excel", "sep=x\nsep=;\n", 0, "1:sep=x 2:sep=;"},
    {"UTF-16, little-endian",
	"\xff\xfe"
	"a\0,\0\xf6\0\n\0",
	10, "1:a|ö"},
    {"UTF-16, big-endian", "\xfe\xff\0a\0;\x20\xac\xd8\x3d\xde\0\0\r\0\n\0b", 18, "1:a|€😀 2:b"},
    {"UTF-16, half a pair and half a unit",
	"\xff\xfe"
	"a\0\0\xd8\n\0b\0\n\0\0\xd8\n\0c",
	17, "1!it is not UTF-16 2:b 3!it is not UTF-16 4!it is not UTF-16"},
    {"nothing but a mark of UTF-16", "\xff\xfe", 2, ""},
};

static const struct {
	const char *name, *content;
	struct text_csv_form form;
	const char *want;
} forms[] = {
    {"windows-1252", "J\xf6rg;\x80 \x9f\n\x81;b\nc;d\n", {CHARSET_WINDOWS_1252},
	"1:Jörg|€ Ÿ 2!it is not windows-1252 3:c|d"},
    {"latin1", "J\xf6rg;\x80\n", {CHARSET_LATIN_1}, "1:Jörg|\xc2\x80"},
    {"a mark decides", "\xef\xbb\xbfJ\xc3\xb6rg\n", {CHARSET_WINDOWS_1252}, "1:Jörg"},
    {"a separator", "a;b;c,d\n", {CHARSET_UTF_8, ','}, "1:a;b;c|d"},
    {"a separator against Excel's line", "sep=;\na;b,c\n", {CHARSET_UTF_8, ','}, "2:a;b|c"},
};

Test(csv, reads_files_of_a_form)
{
	for (gsize i = 0; i < G_N_ELEMENTS(forms); i++) {
		csv_put(forms[i].content, strlen(forms[i].content));
		g_autofree char *got = read_as(&forms[i].form);

		cr_expect_str_eq(got, forms[i].want, "%s: got %s", forms[i].name, got);
	}
}

/* Characters of UTF-16 that fall on each position around the end of what is decoded at once. */
Test(csv, decodes_across_its_blocks)
{
	for (guint before = 0; before < 8; before++) {
		GByteArray *content = g_byte_array_new();
		guint count = 65536 / 3 / 4 + 100;

		g_byte_array_append(content, (const guint8 *)"\xff\xfe", 2);
		for (guint i = 0; i < before; i++)
			g_byte_array_append(content, (const guint8 *)"x\0", 2);
		for (guint i = 0; i < 3 * count; i++)
			g_byte_array_append(content, (const guint8 *)"\x3d\xd8\0\xde", 4);
		csv_put((const char *)content->data, content->len);
		g_byte_array_unref(content);
		g_autofree char *got = csv_read_all();
		cr_expect_eq(
		    strlen(got), 2 + before + 3 * count * 4, "%u: %zu", before, strlen(got));
		cr_expect(g_utf8_validate(got, -1, NULL));
		cr_expect_null(strchr(got, '!'));
	}
}

Test(csv, reads_what_there_is_and_tells_of_the_rest)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		csv_put(cases[i].content, cases[i].size ? cases[i].size : strlen(cases[i].content));
		g_autofree char *got = csv_read_all();

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
		csv_put(content->str, content->len);
		g_string_free(content, TRUE);
		g_autofree char *all = csv_read_all();
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
		csv_put(content->str, content->len);
		g_string_free(content, TRUE);
		g_autofree char *all = csv_read_all();
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
	csv_put(content->str, content->len);
	g_string_free(content, TRUE);
	g_autofree char *got = csv_read_all();
	g_autofree char *want =
	    g_strdup_printf("1!it is longer than 1 MiB  %d:b|c", CSV_RECORD_BYTES / 8 + 2);
	cr_expect_str_eq(got, want, "got %s", got);
}

Test(csv, cannot_open_what_is_no_file)
{
	g_autoptr(GError) missing = NULL, folder = NULL;
	cr_expect_null(text_csv_open("/nowhere/at.all", NULL, &missing));
	cr_expect(g_error_matches(missing, PH_ERROR, PH_ERROR_NOT_FOUND));
	cr_expect_null(text_csv_open("/", NULL, &folder));
	cr_expect(g_error_matches(folder, PH_ERROR, PH_ERROR_NOT_FOUND));
}

static const char *const odd[] = {
    "", "a", "=1+1", "'", "\tx", " x ", "\"quoted\"", "\"", "a,b", "line\r\nend", "\n", "ö"};

Test(csv, reads_what_it_writes)
{
	FILE *file = fopen(path, "w");

	cr_assert(file);
	cr_expect(text_csv_write(file, odd, G_N_ELEMENTS(odd)));
	cr_expect(text_csv_write(file, (const char *const[]){NULL, "x"}, 2));
	fclose(file);
	AUTO(text_csv) csv = text_csv_open(path, NULL, NULL);
	struct text_csv_record record;
	cr_assert(text_csv_next(csv, &record, NULL));
	cr_assert_eq(record.count, G_N_ELEMENTS(odd), "got %u", record.count);
	for (gsize i = 0; i < G_N_ELEMENTS(odd); i++)
		cr_expect_str_eq(record.fields[i], odd[i]);
	cr_assert(text_csv_next(csv, &record, NULL));
	cr_expect(record.count == 2 && !*record.fields[0]);
	cr_expect_not(text_csv_next(csv, &record, NULL));
	cr_expect_eq(text_csv_position(csv), text_csv_size(csv));
}

static const char *const texts[] = {"", "a", "=1+1", "'=1+1", "''=x", "+1", "-", "@x", "\tx", "\rx",
    "'t Hooft", "'", "''", "a=b", " =1", "\"quoted\"", "a,b", "line\r\nend", "\n", "ö"};

Test(formula, is_guarded_and_the_guard_taken_away)
{
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *buffer = NULL;
		const char *guarded = text_csv_guard(texts[i], &buffer);

		cr_expect(
		    !*guarded || !strchr("=+-@\t\r", *guarded), "%s: got %s", texts[i], guarded);
		cr_expect_str_eq(text_csv_unguard(guarded), texts[i], "%s", texts[i]);
	}
	g_autofree char *buffer = NULL, *none = NULL;
	cr_expect_str_eq(text_csv_guard("=1", &buffer), "'=1");
	cr_expect_str_eq(text_csv_unguard("'t Hooft"), "'t Hooft");
	cr_expect_null(text_csv_guard(NULL, &none));
}

/* Reading can go on behind any record, in the same line. */
Test(csv, reads_bytes_from_a_place)
{
	static const char content[] = "\xef\xbb\xbf"
				      "a;b\r\n1;\"x\ny\"\r\n\r\n2;z\r3;";
	g_autoptr(GBytes) bytes = g_bytes_new_static(content, sizeof(content) - 1);
	static const char *const want[] = {"1 a", "2 1", "5 2", "6 3"};
	struct text_csv_place place = {0, 1};
	struct text_csv_record record;

	for (guint i = 0; i < G_N_ELEMENTS(want); i++) {
		AUTO(text_csv) csv = text_csv_open_bytes(bytes, NULL);

		if (i > 0)
			text_csv_seek(csv, &place);
		cr_assert(text_csv_next(csv, &record, NULL), "record %u", i);
		g_autofree char *got = g_strdup_printf("%d %s", (int)record.line, record.fields[0]);
		cr_expect_eq(record.count, 2);
		cr_expect_str_eq(got, want[i], "got %s", got);
		place = text_csv_place(csv);
	}
	AUTO(text_csv) csv = text_csv_open_bytes(bytes, NULL);
	text_csv_seek(csv, &place);
	cr_expect_eq(place.position, sizeof(content) - 1);
	cr_expect_not(text_csv_next(csv, &record, NULL));
	g_autoptr(GBytes) nothing = g_bytes_new_static("", 0);
	AUTO(text_csv) empty = text_csv_open_bytes(nothing, NULL);
	cr_expect_not(text_csv_next(empty, &record, NULL));
}

/* Places are those of the decoded text. */
Test(csv, reads_bytes_of_other_encodings)
{
	static const char utf16[] = "\xfe\xff\0a\0\n\0\xf6\0\n\0c", latin[] = "a\n\xf6\nc";
	static const struct {
		const char *bytes;
		gsize size;
		struct text_csv_form form;
	} files[] = {{utf16, sizeof(utf16) - 1, {CHARSET_UTF_8}},
	    {latin, sizeof(latin) - 1, {CHARSET_LATIN_1}}};

	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autoptr(GBytes) bytes = g_bytes_new_static(files[i].bytes, files[i].size);
		g_autoptr(GBytes) text = base_charset_text(bytes, files[i].form.charset);
		AUTO(text_csv) csv = text_csv_open_bytes(bytes, &files[i].form);
		AUTO(text_csv) again = text_csv_open_bytes(text, NULL);
		struct text_csv_record record;

		cr_expect_eq(g_bytes_get_size(text), 6);
		cr_assert(text_csv_next(csv, &record, NULL) && text_csv_next(csv, &record, NULL));
		cr_expect_str_eq(record.fields[0], "ö");
		struct text_csv_place place = text_csv_place(csv);
		cr_expect_eq(place.position, 5);
		text_csv_seek(again, &place);
		cr_assert(text_csv_next(again, &record, NULL));
		cr_expect_str_eq(record.fields[0], "c");
	}
}

Test(csv, reads_the_names_of_forms)
{
	static const struct {
		const char *text;
		int want; /* -1: none */
	} separators[] = {{",", ','}, {"comma", ','}, {";", ';'}, {"Semicolon", ';'}, {"\t", '\t'},
	    {"tab", '\t'}, {"", -1}, {"|", -1}, {",,", -1}},
	  charsets[] = {{"utf-8", CHARSET_UTF_8}, {"UTF8", CHARSET_UTF_8},
	      {"Windows-1252", CHARSET_WINDOWS_1252}, {"cp1252", CHARSET_WINDOWS_1252},
	      {"latin1", CHARSET_LATIN_1}, {"ISO-8859-1", CHARSET_LATIN_1}, {"utf-16", -1},
	      {"", -1}};

	for (guint i = 0; i < G_N_ELEMENTS(separators); i++) {
		g_autoptr(GError) error = NULL;
		char got;
		bool read = text_csv_read_separator("--s", separators[i].text, &got, &error);

		cr_expect_eq(read ? got : -1, separators[i].want, "%s", separators[i].text);
		if (!read)
			cr_expect_str_eq(error->message, "--s must be comma, semicolon or tab");
	}
	for (guint i = 0; i < G_N_ELEMENTS(charsets); i++) {
		g_autoptr(GError) error = NULL;
		enum base_charset got;
		bool read = base_charset_read("--e", charsets[i].text, &got, &error);

		cr_expect_eq(read ? (int)got : -1, charsets[i].want, "%s", charsets[i].text);
		if (!read)
			cr_expect_str_eq(
			    error->message, "--e must be utf-8, windows-1252 or latin1");
	}
}

Test(csv, trims_texts)
{
	static const char *const trimmed[][2] = {{"", ""}, {"a", "a"}, {" a b\t", "a b"},
	    {"\xc2\xa0"
	     "a@x.org\xc2\xa0\xc2\xa0",
		"a@x.org"},
	    {"\xe2\x80\x8b\xef\xbb\xbf", ""}, {"ö ", "ö"}};
	g_autoptr(GString) buffer = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(trimmed); i++)
		cr_expect_str_eq(text_csv_trim(trimmed[i][0], buffer), trimmed[i][1], "%u", i);
}
