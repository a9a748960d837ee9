/* SPDX-License-Identifier: MIT */
/* Compares man/posthouse.1 with the grammar: exactly the same commands, arguments and options. */
#include <criterion/criterion.h>
#include <string.h>

#include "cli/grammar.h"

static char *
read_manual(void)
{
	const char *folder = g_getenv("srcdir");
	g_autofree char *path =
	    g_build_filename(folder ? folder : TEST_SRCDIR, "man", "posthouse.1", NULL);
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	cr_assert(
	    g_file_get_contents(path, &text, NULL, &error), "%s", error ? error->message : "");
	return text;
}

static void
manual_add_parameter(GString *entry, const struct cli_parameter *parameter)
{
	g_autofree char *label = cli_parameter_label(parameter);
	char *value = strchr(label, ' ');

	if (!cli_parameter_is_option(parameter)) {
		g_string_append_printf(
		    entry, "%sAr %s\n", parameter->optional ? ".Op " : ".", label);
		return;
	}
	if (value)
		*value++ = '\0';
	g_string_append_printf(entry, "%sFl %s", parameter->required ? "." : ".Op ", label + 1);
	if (value)
		g_string_append_printf(entry, " Ar %s", value);
	g_string_append_c(entry, '\n');
}

/* Returns the head of a command's entry as the manual must have it. */
static char *
manual_entry_of(const struct cli_noun *noun, const struct cli_command *command)
{
	GString *entry = g_string_new(".It Xo\n.Ic ");

	g_string_append(entry, noun->name);
	if (command->verb)
		g_string_append_printf(entry, " %s", command->verb);
	g_string_append_c(entry, '\n');
	for (guint i = 0; i < command->count; i++)
		manual_add_parameter(entry, &command->parameters[i]);
	if (command->need == NEED_WORKSPACE)
		manual_add_parameter(entry, &cli_workspace);
	g_string_append(entry, ".Xc\n");
	return g_string_free(entry, FALSE);
}

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
	g_autofree char *manual = read_manual();
	guint commands = 0;

	for (const struct cli_noun *const *noun = cli_nouns; *noun; noun++)
		for (guint i = 0; i < (*noun)->count; i++, commands++) {
			g_autofree char *entry = manual_entry_of(*noun, &(*noun)->commands[i]);

			cr_expect_eq(manual_count(manual, entry), 1,
			    "man/posthouse.1 has %u times:\n%s", manual_count(manual, entry),
			    entry);
		}
	cr_expect_eq(manual_count(manual, "\n.It Xo\n"), commands, "%u entries for %u commands",
	    manual_count(manual, "\n.It Xo\n"), commands);
}

Test(manual, tells_of_the_options_of_every_command)
{
	g_autofree char *manual = read_manual();

	for (guint i = 0; i < GLOBAL_COUNT; i++) {
		g_autofree char *label = cli_parameter_label(&cli_global[i]);
		g_auto(GStrv) parts = g_strsplit(label + 1, " ", 2);
		g_autofree char *value = parts[1] ? g_strconcat(" Ar ", parts[1], NULL) : NULL;
		g_autofree char *entry =
		    g_strconcat("\n.It Fl ", parts[0], value ? value : "", "\n", NULL);

		cr_expect_eq(manual_count(manual, entry), 1, "man/posthouse.1 lacks %s", entry);
	}
}
