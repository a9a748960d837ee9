/* SPDX-License-Identifier: MIT */
/* Tests what becomes of bounces and complaints as the fixture writes them: the messages of the
   folder bounces, with what expected.tsv wants of each. Prints want and got for each. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "delivery/bounce.h"
#include "tests/lib/posting.h"
#include "tests/lib/reporting.h"
#include "tests/support/db.h"

static char *
read_case(const char *name)
{
	const char *folder = g_getenv("srcdir");
	g_autofree char *path =
	    g_build_filename(folder ? folder : ".", "tests", "lib", "bounces", name, NULL);
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	cr_assert(
	    g_file_get_contents(path, &text, NULL, &error), "%s", error ? error->message : "");
	return text;
}

/* The last event of the recipient, and whether the address is suppressed, as columns. */
static char *
report_cases_outcome_of(struct fixture *fixture, const struct base_id *id)
{
	g_autofree char *events = fixture_events(fixture, id);
	g_autofree char *list = reporting_suppressed(fixture);
	g_auto(GStrv) lines = g_strsplit(g_strchomp(events), "\n", -1);
	guint count = g_strv_length(lines);
	const char *last = count > 0 && *lines[count - 1] ? lines[count - 1] : "0 none";
	g_autofree char *head = g_strndup(last, strcspn(last, ":"));
	g_auto(GStrv) words = g_strsplit(head, " ", 4);
	bool typed = words[1] && words[2] && g_ascii_isalpha(*words[2]);
	const char *code = !words[2] ? "" : typed ? words[3] : words[2];

	return g_strdup_printf("%s\t%s\t%s\t%s", words[1], typed ? words[2] : "", code ? code : "",
	    *list ? "yes" : "no");
}

/* Whether the columns are as wanted; an empty one is not decided. */
static bool
agrees(const char *want, const char *got)
{
	g_auto(GStrv) wanted = g_strsplit(want, "\t", -1);
	g_auto(GStrv) given = g_strsplit(got, "\t", -1);

	cr_assert_eq(g_strv_length(wanted), 4, "%s", want);
	for (guint i = 0; i < 4; i++)
		if (*wanted[i] && strcmp(wanted[i], given[i]) != 0)
			return false;
	return true;
}

static void
report_cases_take(struct fixture *fixture, const char *name, const char *want)
{
	g_autofree char *file = g_strconcat(name, ".eml", NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *message = read_case(file);
	struct base_id id = posting_submit(fixture, "user@example.net");
	const char *envelope = g_str_has_prefix(name, "fixedpath-")
				   ? "someone.else@send.example.com"
				   : "TOKEN@send.example.com";

	g_string_assign(text, message);
	/* Only the Message-ID is to tell which email it is. */
	if (g_str_has_prefix(name, "fixedpath-"))
		g_string_replace(text, "b+TOKEN@", "someone.else@", 0);
	reporting_take(fixture, &id, envelope, text->str);
	g_autofree char *got = report_cases_outcome_of(fixture, &id);
	printf("%-40s want %-36s got %s\n", name, want, got);
	cr_expect(agrees(want, got), "%s: want %s got %s", name, want, got);
	test_db_plain(fixture->db, "DELETE FROM suppression");
	/* The transient bounces of an address count together, but not for so long. */
	base_clock_set(base_clock_now() + BOUNCE_TRANSIENT_MS);
}

Test(report_cases, are_recorded_as_expected)
{
	g_autofree char *table = read_case("expected.tsv");
	g_auto(GStrv) lines = g_strsplit(table, "\n", -1);
	guint count = 0;
	AUTO(fixture) fixture = fixture_open(NULL, NULL);

	for (char **line = lines + 1; *line && **line; line++, count++) {
		char *want = strchr(*line, '\t');

		cr_assert(want, "%s", *line);
		*want++ = '\0';
		report_cases_take(fixture, *line, want);
	}
	cr_expect_geq(count, 44);
}
