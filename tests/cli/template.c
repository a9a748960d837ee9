/* SPDX-License-Identifier: MIT */
/* Tests posthouse template on a real database; commands.c tests put. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits/template.h"
#include "tests/cli/program.h"
#include "tests/support/mariadb.h"

static char *config, *html, *text;

static void
template_begin(void)
{
	config = test_mariadb_file(NULL, NULL, NULL);
	html = g_strconcat(config, ".html", NULL);
	text = g_strconcat(config, ".txt", NULL);
	g_free(program_line(config, "schema migrate"));
	g_free(program_line(config, "workspace create One"));
}

static void
end(void)
{
	g_unlink(html);
	g_unlink(text);
	g_free(html);
	g_free(text);
	g_free(config);
}

TestSuite(template, .init = template_begin, .fini = end, .timeout = 900);

#define HTML "<p>{{name}}\r\n \033 <b>no line end"
#define TEXT "Hi\n\n"

static void
put_both(void)
{
	g_autofree char *whole = g_strdup_printf(
	    "template put welcome --html %s --text %s --subject 'Hi {{name}}' --name 'A b'"
	    " --variables '{\"name\": \"you\"}'",
	    html, text);
	g_autofree char *bare = g_strdup_printf("template put bare --html %s", html);

	cr_assert(g_file_set_contents(html, HTML, -1, NULL));
	cr_assert(g_file_set_contents(text, TEXT, -1, NULL));
	g_free(program_line(config, whole));
	g_free(program_line(config, bare));
}

Test(template, is_listed)
{
	program_expect(config, "template list", 0, "There are no templates yet.\n", NULL);
	program_expect(config, "template list --json", 0, "{\"templates\":[]}\n", NULL);
	put_both();
	program_expect(config, "template list", 0,
	    "ID       NAME  UPDATED                   SUBJECT\n"
	    "bare     bare  20*Z  -\n"
	    "welcome  A b   20*Z  Hi {{name}}\n",
	    NULL);
	program_expect(config, "template list --json", 0,
	    "{\"templates\":[{\"id\":\"bare\",*\"subject\":null},{\"id\":\"welcome\","
	    "\"name\":\"A b\",\"updated\":1*,\"subject\":\"Hi {{name}}\"}]}\n",
	    NULL);
}

Test(template, is_shown)
{
	put_both();
	program_expect(config, "template show welcome", 0,
	    "id           welcome\nname         A b\nsubject      Hi {{name}}\npreview_text -\n"
	    "variables    {\"name\":\"you\"}\nhtml_bytes   30\ntext_bytes   4\ncreated      20*\n"
	    "updated      20*\n",
	    NULL);
	program_expect(config, "template show bare --json", 0,
	    "{\"id\":\"bare\",\"name\":\"bare\",\"subject\":null,\"preview_text\":null,"
	    "\"variables\":{},"
	    "\"html_bytes\":30,\"text_bytes\":0,\"created\":1*,\"updated\":1*}\n",
	    NULL);
	program_expect(config, "template show none", 66, NULL, "posthouse: Template not found\n");
}

/* Written to a pipe, a part is unchanged. */
Test(template, is_written_part_by_part)
{
	put_both();
	program_expect(config, "template show welcome --part html", 0, HTML, NULL);
	program_expect(config, "template show welcome --part text", 0, TEXT, NULL);
	program_expect(config, "template show welcome --part text --json", 0,
	    "{\"text\":\"Hi\\n\\n\"}\n", NULL);
	program_expect(config, "template show bare --part text", 66, NULL,
	    "posthouse: the template has no text part: emails derive it from the html\n");
	program_expect(config, "template show bare --part both", 64, NULL,
	    "posthouse: --part must be one of html, text, *\n");
}

/* Runs the program on a pseudo-terminal, and returns its output, which the caller frees. */
static char *
run_on_terminal(const char *const *arguments)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), status = 0;
	cr_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	int end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	const char *folder = g_getenv("builddir");
	g_autofree char *program = g_build_filename(folder ? folder : ".", "posthouse", NULL);
	GPtrArray *argv = g_ptr_array_new();
	GString *told = g_string_new(NULL);
	char bytes[512];
	ssize_t size;
	GPid pid;

	g_ptr_array_add(argv, program);
	for (; *arguments; arguments++)
		g_ptr_array_add(argv, (char *)*arguments);
	g_ptr_array_add(argv, NULL);
	cr_assert(g_spawn_async_with_fds(NULL, (char **)argv->pdata, NULL,
	    G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, -1, end, -1, NULL));
	close(end);
	while ((size = read(terminal, bytes, sizeof(bytes))) > 0)
		g_string_append_len(told, bytes, size);
	close(terminal);
	cr_expect(waitpid(pid, &status, 0) == pid && status == 0, "status %d", status);
	g_ptr_array_unref(argv);
	return g_string_free(told, FALSE);
}

/* Stored text does not control the terminal. */
Test(template, is_harmless_on_a_terminal)
{
	put_both();
	g_autofree char *got = run_on_terminal((const char *const[]){
	    "--config", config, "template", "show", "welcome", "--part", "html", NULL});

	cr_expect_str_eq(got, "<p>{{name}}\r\n \\u{1b} <b>no line end\r\n", "got %s", got);
}

Test(template, is_rendered)
{
	put_both();
	program_expect(config, "template render welcome --variables '{\"name\":\"Ada\"}' --json", 0,
	    "{\"subject\":\"Hi Ada\",\"html\":*", NULL);
	program_expect(config, "template render welcome", 0, "*Hi*", NULL);
	program_expect(config, "template render none", 66, NULL, "posthouse: Template not found\n");
	program_expect(config, "template render welcome --variables '{\"name\":{\"value\":[]}}'",
	    65, NULL, "posthouse: variables.name must be a string, *\n");
}

Test(template, stays_while_another_needs_it)
{
	g_autofree char *put = g_strdup_printf("template put other --html %s", html);

	put_both();
	cr_assert(g_file_set_contents(html, "{{> welcome}}{{> bare}}", -1, NULL));
	g_free(program_line(config, put));
	program_expect(config, "template remove welcome", 73, NULL,
	    "posthouse: Template is in use: template other (other)\n");
	program_expect(config, "template remove welcome --json", 73, NULL,
	    "{\"error\":\"Template is in use: template other (other)\",\"code\":\"conflict\"}\n");
	program_expect(config, "template list", 0, "*welcome*", NULL);
	program_expect(config, "template remove other", 0, "Template other is removed.\n", NULL);
	program_expect(
	    config, "template remove welcome", 0, "Template welcome is removed.\n", NULL);
}

Test(template, is_removed)
{
	g_autofree char *longest = g_strnfill(LIMIT_TEMPLATE_ID_LENGTH, 'x');
	g_autofree char *at_limit = g_strconcat("template remove --workspace One ", longest, NULL),
			*past_it = g_strconcat(at_limit, "x", NULL);

	put_both();
	g_free(program_line(config, "workspace create Two"));
	program_expect(config, "template list --workspace Two", 0, "There are no *", NULL);
	program_expect(config, "template show bare --workspace Two", 66, NULL, "*");
	program_expect(config, "template remove bare --workspace Two", 66, NULL, "*");
	program_expect(
	    config, "template remove bare --workspace One", 0, "Template bare is removed.\n", NULL);
	program_expect(config, "template remove bare --workspace One", 66, NULL,
	    "posthouse: Template not found\n");
	program_expect(config, "template remove welcome --workspace One --json", 0,
	    "{\"id\":\"welcome\",\"removed\":true}\n", NULL);
	program_expect(config, "template list --workspace One", 0, "There are no *", NULL);
	program_expect(config, at_limit, 66, NULL, "posthouse: Template not found\n");
	program_expect(config, past_it, 64, NULL, "posthouse: ID must be 1 to 64 characters*");
}
