/* SPDX-License-Identifier: MIT */
/* posthouse(1) has each command and option of the grammar, and is made of no template that lacks
   one, or has another. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "cli/grammar.h"
#include "tests/support/manual.h"

static guint
manual_count(const char *text, const char *part)
{
	guint times = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		times++;
	return times;
}

Test(manual, tells_of_each_command_and_no_other)
{
	g_autofree char *manual = test_manual_read("posthouse.1");
	guint commands = 0;

	for (const struct cli_noun *const *noun = cli_nouns; *noun; noun++)
		for (guint i = 0; i < (*noun)->count; i++, commands++) {
			const char *verb = (*noun)->commands[i].verb;
			g_autofree char *head = g_strdup_printf("\n.It Xo\n.Ic %s%s%s\n",
			    (*noun)->name, verb ? " " : "", verb ? verb : "");

			cr_expect_eq(manual_count(manual, head), 1, "posthouse(1) lacks %s", head);
		}
	cr_expect_eq(manual_count(manual, "\n.It Xo\n"), commands);
	cr_expect(strstr(manual, "\n.It Xo\n.Ic template show\n.Ar ID\n.Op Fl -part Ar html|text\n"
				 ".Op Fl -workspace Ar NAME\n.Xc\n"));
	cr_expect(strstr(manual, "\n.It Fl -config Ar FILE\n"));
}

/* The exit status of manual_doc with a template. */
static int
manual_make(const char *template)
{
	const char *build = g_getenv("builddir");
	g_autofree char *program = g_build_filename(build ? build : ".", "cli", "manual_doc", NULL);
	g_autofree char *path = NULL;
	int file = g_file_open_tmp("manual-XXXXXX", &path, NULL), status = -1;

	cr_assert_geq(file, 0);
	cr_assert(g_close(file, NULL) && g_file_set_contents(path, template, -1, NULL));
	const char *const argv[] = {program, path, NULL};
	cr_assert(g_spawn_sync(NULL, (char **)argv, NULL,
	    G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
	    &status, NULL));
	g_remove(path);
	return status;
}

Test(manual, is_made_of_a_whole_template_alone)
{
	const char *source = g_getenv("srcdir");
	g_autofree char *path =
	    g_build_filename(source ? source : TEST_SRCDIR, "man", "posthouse.1.in", NULL);
	g_autofree char *whole = NULL;

	cr_assert(g_file_get_contents(path, &whole, NULL, NULL));
	g_auto(GStrv) halves = g_strsplit(whole, "\n@command topic list\n", 2);
	g_autofree char *less = g_strjoinv("\n", halves);
	g_autofree char *more = g_strconcat(whole, "@command topic list\n", NULL);
	g_autofree char *other = g_strconcat(whole, "@command topic paint\n", NULL);
	const struct {
		const char *name, *template;
		bool well;
	} cases[] = {{"whole", whole, true}, {"without a command", less, false},
	    {"a command twice", more, false}, {"an unknown command", other, false}};

	cr_assert_eq(g_strv_length(halves), 2);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(
		    manual_make(cases[i].template) == 0, cases[i].well, "%s", cases[i].name);
}
