/* SPDX-License-Identifier: MIT */
/* Compares manual pages with the help of programs. */
#include "tests/support/manual.h"

#include <criterion/criterion.h>
#include <glib.h>

char *
test_manual_read(const char *page)
{
	const char *source = g_getenv("srcdir"), *build = g_getenv("builddir");
	g_autofree char *made = g_build_filename(build ? build : ".", "man", page, NULL);
	g_autofree char *path = g_file_test(made, G_FILE_TEST_EXISTS)
				    ? g_strdup(made)
				    : g_build_filename(source ? source : ".", "man", page, NULL);
	char *text = NULL;

	cr_assert(g_file_get_contents(path, &text, NULL, NULL), "%s cannot be read", path);
	return text;
}

static int
manual_compare(const void *a, const void *b)
{
	return g_strcmp0(*(char *const *)a, *(char *const *)b);
}

/* The first group of each match, sorted, with spaces between them. */
static char *
find_all(const char *text, const char *pattern)
{
	g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);

	for (g_regex_match(regex, text, 0, &match); g_match_info_matches(match);
	     g_match_info_next(match, NULL))
		g_ptr_array_add(found, g_match_info_fetch(match, 1));
	g_ptr_array_sort(found, manual_compare);
	g_ptr_array_add(found, NULL);
	return g_strjoinv(" ", (char **)found->pdata);
}

void
test_manual_expect_options(const char *page, const char *help)
{
	g_autofree char *text = test_manual_read(page);
	g_autofree char *got = find_all(text, "^\\.It Fl -([a-z]+)");
	g_autofree char *want = find_all(help, "^  (?:-., )?--([a-z]+)");

	cr_expect_str_eq(got, want, "%s: got %s, want %s", page, got, want);
}
