/* SPDX-License-Identifier: MIT */
/* Runs the program, and compares its status and output with the expected ones. */
#include "tests/cli/program.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/program.h"

void
outcome_free(struct outcome *outcome)
{
	g_free(outcome->output);
	g_free(outcome->errors);
	g_free(outcome);
}

static char **
make_argv(const char *config, const char *const *arguments)
{
	const char *folder = g_getenv("builddir");
	GStrvBuilder *builder = g_strv_builder_new();
	g_autofree char *program = g_build_filename(folder ? folder : ".", "posthouse", NULL);

	g_strv_builder_add(builder, program);
	if (config)
		g_strv_builder_add_many(builder, "--config", config, NULL);
	for (; *arguments; arguments++)
		g_strv_builder_add(builder, *arguments);
	char **argv = g_strv_builder_end(builder);
	g_strv_builder_unref(builder);
	return argv;
}

struct outcome *
program_run(const char *config, const char *const *arguments)
{
	struct outcome *outcome = g_new0(struct outcome, 1);
	g_auto(GStrv) argv = make_argv(config, arguments);
	g_auto(GStrv) environment = g_environ_unsetenv(g_get_environ(), "POSTHOUSE_CONFIG");
	g_autoptr(GError) error = NULL;
	int status = 0;

	cr_assert(g_spawn_sync(NULL, argv, environment, G_SPAWN_DEFAULT, NULL, NULL,
		      &outcome->output, &outcome->errors, &status, &error),
	    "%s: %s", argv[0], error ? error->message : "");
	test_program_check_log(outcome->errors);
	outcome->status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
	return outcome;
}

static struct outcome *
program_run_line(const char *config, const char *line)
{
	g_auto(GStrv) arguments = NULL;
	g_autoptr(GError) error = NULL;

	cr_assert(!*line || g_shell_parse_argv(line, NULL, &arguments, &error), "%s: %s", line,
	    error ? error->message : "");
	return program_run(config, *line ? (const char *const *)arguments : (const char *[]){NULL});
}

static void
program_expect_fit(const char *line, const char *what, const char *got, const char *want)
{
	cr_expect(g_pattern_match_simple(want ? want : "", got),
	    "posthouse %s: got %s:\n%s\nwant:\n%s", line, what, got, want ? want : "");
}

void
program_expect(
    const char *config, const char *line, int status, const char *output, const char *errors)
{
	AUTO(outcome) got = program_run_line(config, line);

	cr_expect_eq(got->status, status, "posthouse %s: got status %d, want %d: %s", line,
	    got->status, status, got->errors);
	program_expect_fit(line, "output", got->output, output);
	program_expect_fit(line, "errors", got->errors, errors);
}

char *
program_line(const char *config, const char *line)
{
	AUTO(outcome) got = program_run_line(config, line);

	cr_assert_eq(
	    got->status, 0, "posthouse %s: got status %d: %s", line, got->status, got->errors);
	return g_strndup(got->output, strcspn(got->output, "\n"));
}
