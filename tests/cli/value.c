/* SPDX-License-Identifier: MIT */
/* Tests the values of each type of parameter. */
#include "cli/value.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/grammar.h"
#include "tests/support/mariadb.h"

static const struct cli_parameter blank = {"--blank", "", "TEXT", .min = -1, .max = 2},
				  text = {"--text", "", "TEXT", PARAMETER_TEXT, .min = 2, .max = 5},
				  address = {"--address", "", "EMAIL", .type = PARAMETER_ADDRESS},
				  sender = {"--sender", "", "ADDRESS", PARAMETER_SENDER, .max = 20},
				  url = {"--url", "", "URL", PARAMETER_URL, .max = 20},
				  when = {"--when", "", "TIME", .type = PARAMETER_TIME},
				  choice = {"--choice", "", NULL, PARAMETER_CHOICE,
				      .choices = {"one", "two"}},
				  number = {"--number", "", "N", PARAMETER_NUMBER, .min = 1,
				      .max = 1000},
				  id = {"ID", "", .type = PARAMETER_ID},
				  file = {"--file", "", "FILE", .type = PARAMETER_FILE};

Test(value, is_what_its_type_wants)
{
	static const struct {
		const struct cli_parameter *parameter;
		const char *given;
		const char *want; /* the text; NULL: refused, with this sentence: */
		const char *sentence;
		gint64 number;
	} cases[] = {
	    {&text, "ab", "ab", NULL, 0},
	    {&text, "abcde", "abcde", NULL, 0},
	    {&text, "grüße", "grüße", NULL, 0},
	    {&text, "a", NULL, "--text must be 2 to 5 characters, not 1", 0},
	    {&text, "abcdef", NULL, "--text must be 2 to 5 characters, not 6", 0},
	    {&text, "", NULL, "--text must not be empty", 0},
	    {&blank, "", "", NULL, 0},
	    {&blank, "ab", "ab", NULL, 0},
	    {&blank, "abc", NULL, "--blank must be 1 to 2 characters, not 3", 0},
	    {&text, "a\nb", NULL, "--text must not contain control characters", 0},
	    {&text, "a\xff", NULL, "--text must be UTF-8 text", 0},
	    {&address, "Ada@GRÜSSE.de", "Ada@xn--grsse-lva.de", NULL, 0},
	    {&address, "ada", NULL,
		"--address must be an email address such as ada@example.com, not \"ada\"", 0},
	    {&address, "Ada <a@x.org>", NULL,
		"--address must be an email address such as ada@example.com, not \"Ada <a@x.org>\"",
		0},
	    {&sender, "Ada  <a@x.org>", "Ada <a@x.org>", NULL, 0},
	    {&sender, "a@x.org", "a@x.org", NULL, 0},
	    {&sender, "Adaa Bbbbb <a@x.org>", "Adaa Bbbbb <a@x.org>", NULL, 0},
	    {&sender, "Adaaa Bbbbb <a@x.org>", NULL, "--sender must be 1 to 20 characters, not 21",
		0},
	    {&sender, "ada", NULL, "--sender must be a valid email address: *", 0},
	    {&url, "https://x.org/a?b=c", "https://x.org/a?b=c", NULL, 0},
	    {&url, "http://x.org/abcdefg", "http://x.org/abcdefg", NULL, 0},
	    {&url, "http://x.org/abcdefgh", NULL, "--url must be 1 to 20 characters, not 21", 0},
	    {&url, "ftp://x.org", NULL, "--url must be an absolute http or https URL, not *", 0},
	    {&url, "/a", NULL, "--url must be an absolute http or https URL, not *", 0},
	    {&url, "https:///a", NULL, "--url must be an absolute http or https URL, not *", 0},
	    {&number, "1", "1", NULL, 1},
	    {&number, "1000", "1000", NULL, 1000},
	    {&number, "0", NULL, "--number must be a whole number from 1 to 1000, not \"0\"", 0},
	    {&number, "1001", NULL, "--number must be *, not \"1001\"", 0},
	    {&number, "1.5", NULL, "--number must be *, not \"1.5\"", 0},
	    {&number, "", NULL, "--number must be *, not \"\"", 0},
	    {&number, "99999999999999999999", NULL, "--number must be *", 0},
	    {&when, "2030-01-31T12:00:00Z", "2030-01-31T12:00:00Z", NULL, 1896091200000},
	    {&when, "2030-01-31", "2030-01-31", NULL, 1896048000000},
	    {&when, "2030-01-31T12:00:00+01:00", "2030-01-31T12:00:00+01:00", NULL, 1896087600000},
	    {&when, "tomorrow", NULL, "--when must be an ISO 8601 time such as *, not \"tomorrow\"",
		0},
	    {&when, "1896091200000", "1896091200000", NULL, 1896091200000},
	    {&when, "0", "0", NULL, 0},
	    {&when, "253402300799999", "253402300799999", NULL, 253402300799999},
	    {&when, "253402300800000", NULL, "--when must be an ISO 8601 time such as *", 0},
	    {&when, "-1", NULL, "--when must be an ISO 8601 time such as *", 0},
	    {&when, "1.5", NULL, "--when must be an ISO 8601 time such as *", 0},
	    {&when, "2030-02-30", NULL, "--when must be an ISO 8601 time such as *", 0},
	    {&choice, "one", "one", NULL, 0},
	    {&choice, "two", "two", NULL, 1},
	    {&choice, "Two", NULL, "--choice must be one of one, two, not \"Two\"", 0},
	    {&id, "01a1f8a1-607f-759a-87fa-484e2ad0e860", "01a1f8a1-607f-759a-87fa-484e2ad0e860",
		NULL, 0},
	    {&id, "01a1", NULL, "ID must be a UUID, 36 characters, not \"01a1\"", 0},
	    {&file, "any\xff", "any\xff", NULL, 1},
	    {&file, "", NULL, "--file must not be empty", 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		struct cli_value got;
		bool done = cli_value_read(cases[i].parameter, cases[i].given, &got, &error);

		cr_expect_eq(done, cases[i].want != NULL, "%s: %s", cases[i].given,
		    error ? error->message : "taken");
		if (done && cases[i].want) {
			cr_expect_str_eq(got.text, cases[i].want, "%s: got %s, want %s",
			    cases[i].given, got.text, cases[i].want);
			cr_expect_eq(got.number, cases[i].number, "%s: got %" G_GINT64_FORMAT,
			    cases[i].given, got.number);
		} else if (!done) {
			cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID));
			cr_expect(g_pattern_match_simple(cases[i].sentence, error->message),
			    "%s: got %s, want %s", cases[i].given, error->message,
			    cases[i].sentence);
			cr_expect_null(got.text);
		}
		g_free(got.text);
	}
}

Test(value, file_is_read_to_its_limit)
{
	const struct {
		const char *name, *content;
		gsize size;
		int want; /* a code of PH_ERROR, -1: read */
	} cases[] = {
	    {"empty", "", 0, -1},
	    {"at the limit", "grüß", 6, -1},
	    {"past it", "grüß.", 7, PH_ERROR_TOO_LARGE},
	    {"no UTF-8", "a\xff", 2, PH_ERROR_INVALID},
	    {"a NUL", "a\0b", 3, PH_ERROR_INVALID},
	};
	g_autofree char *path =
	    g_strdup_printf("%s/value-%d", test_mariadb_dir(NULL), (int)getpid());

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		g_file_set_contents(path, cases[i].content, (gssize)cases[i].size, NULL);
		g_autoptr(GBytes) got = cli_value_read_file(&file, path, 6, &error);
		cr_expect_eq(got ? -1 : error->code, cases[i].want, "%s: got %s", cases[i].name,
		    error ? error->message : "it");
		if (got)
			cr_expect_eq(g_bytes_get_size(got), cases[i].size, "%s", cases[i].name);
	}
	g_unlink(path);
	g_autoptr(GError) error = NULL;
	cr_expect_null(cli_value_read_file(&file, path, 6, &error));
	cr_expect_eq(error->code, PH_ERROR_NOT_FOUND, "got %s", error->message);
	g_clear_error(&error);
	cr_expect_null(cli_value_read_file(&file, "/dev/zero", 6, &error));
	cr_expect_eq(error->code, PH_ERROR_TOO_LARGE, "got %s", error->message);
	g_clear_error(&error);
	cr_expect_null(cli_value_read_file(&file, "/", 6, &error));
	cr_expect_eq(error->code, PH_ERROR_NOT_FOUND, "got %s", error->message);
}
