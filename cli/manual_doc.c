/* SPDX-License-Identifier: MIT */
/* Makes posthouse(1) of its template and of the grammar of the command line:
       manual_doc man/posthouse.1.in >man/posthouse.1
   A line "@command NOUN VERB" or "@option --NAME" becomes the head of an entry. The build runs it.
   It fails when a command or an option of all commands has no place, or two. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/grammar.h"

#define COMMAND "@command "
#define OPTION "@option "

static void G_GNUC_NORETURN G_GNUC_PRINTF(1, 2) manual_doc_fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	g_autofree char *text = g_strdup_vprintf(format, list);
	va_end(list);
	fprintf(stderr, "manual_doc: %s\n", text);
	exit(1);
}

/* Splits "--from ADDRESS" into the option, which is in place, and its value; NULL: none. */
static const char *
manual_cut_value(char *label)
{
	char *value = strchr(label, ' ');

	if (value)
		*value++ = '\0';
	return value;
}

static void
manual_write_parameter(GString *out, const struct cli_parameter *parameter)
{
	g_autofree char *label = cli_parameter_label(parameter);

	if (!cli_parameter_is_option(parameter)) {
		g_string_append_printf(out, "%sAr %s\n", parameter->optional ? ".Op " : ".", label);
		return;
	}
	const char *value = manual_cut_value(label);
	g_string_append_printf(out, "%sFl %s", parameter->required ? "." : ".Op ", label + 1);
	if (value)
		g_string_append_printf(out, " Ar %s", value);
	g_string_append_c(out, '\n');
}

static void
manual_write_command(GString *out, const char *name, const struct cli_command *command)
{
	g_string_append_printf(out, ".It Xo\n.Ic %s\n", name);
	for (guint i = 0; i < command->count; i++)
		manual_write_parameter(out, &command->parameters[i]);
	if (command->need == NEED_WORKSPACE)
		manual_write_parameter(out, &cli_workspace);
	g_string_append(out, ".Xc\n");
}

static void
manual_write_option(GString *out, const struct cli_parameter *option)
{
	g_autofree char *label = cli_parameter_label(option);
	const char *value = manual_cut_value(label);

	g_string_append_printf(
	    out, ".It Fl %s%s%s\n", label + 1, value ? " Ar " : "", value ? value : "");
}

/* The heads of all entries, by the lines that stand for them. The caller frees it. */
static GHashTable *
manual_heads(void)
{
	GHashTable *heads = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	GString *head;

	for (const struct cli_noun *const *noun = cli_nouns; *noun; noun++)
		for (guint i = 0; i < (*noun)->count; i++) {
			const struct cli_command *command = &(*noun)->commands[i];
			const char *verb = command->verb;
			g_autofree char *name =
			    g_strconcat((*noun)->name, verb ? " " : "", verb ? verb : "", NULL);

			head = g_string_new(NULL);
			manual_write_command(head, name, command);
			g_hash_table_insert(
			    heads, g_strconcat(COMMAND, name, NULL), g_string_free(head, FALSE));
		}
	for (guint i = 0; i < GLOBAL_COUNT; i++) {
		head = g_string_new(NULL);
		manual_write_option(head, &cli_global[i]);
		g_hash_table_insert(heads, g_strconcat(OPTION, cli_global[i].name, NULL),
		    g_string_free(head, FALSE));
	}
	return heads;
}

int
main(int argc, char **argv)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;

	if (argc != 2)
		manual_doc_fail("usage: manual_doc FILE");
	if (!g_file_get_contents(argv[1], &text, NULL, &error))
		manual_doc_fail("%s", error->message);
	g_autoptr(GHashTable) heads = manual_heads();
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		const char *head = g_hash_table_lookup(heads, lines[i]);

		if (!head && *lines[i] == '@')
			manual_doc_fail("%s:%u: \"%s\" is not in the grammar, or stands twice",
			    argv[1], i + 1, lines[i]);
		g_string_append(out, head ? head : lines[i]);
		if (!head && lines[i + 1])
			g_string_append_c(out, '\n');
		if (head)
			g_hash_table_remove(heads, lines[i]);
	}
	GHashTableIter left;
	gpointer line;
	g_hash_table_iter_init(&left, heads);
	if (g_hash_table_iter_next(&left, &line, NULL))
		manual_doc_fail("%s has no line \"%s\"", argv[1], (const char *)line);
	return fputs(out->str, stdout) == EOF || fflush(stdout) == EOF;
}
