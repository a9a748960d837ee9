/* SPDX-License-Identifier: MIT */
/* Writes the settings of config/settings.def for people, in place of the line @settings of a file:
       settings_doc sample apache/posthouse.conf.in >apache/posthouse.conf
       settings_doc manual man/posthouse.conf.5.in >man/posthouse.conf.5
   The build runs it. It fails when a setting lacks the text or the value that one of them shows. */
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings_pace.h"
#include "config/settings_source.h"
#include "config/settings_relay.h"
#include "config/settings_table.h"

#define PLACE "\n@settings\n"
#define SAMPLE_WIDTH 130
#define MANUAL_WIDTH 80

struct section {
	const char *name;    /* "relay NAME" */
	const char *example; /* its name in the sample, where it is commented out; NULL: it stands
				there under its own */
	const char *comment; /* of the sample, NULL: none */
	const char *text;    /* of posthouse.conf(5), NULL: none */
};

static void G_GNUC_NORETURN G_GNUC_PRINTF(1, 2) settings_doc_fail(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	g_autofree char *text = g_strdup_vprintf(format, list);
	va_end(list);
	fprintf(stderr, "settings_doc: %s\n", text);
	exit(1);
}

static void
settings_doc_expect(const struct config_setting_row *row, const char *value, const char *what)
{
	if (!value || !*value)
		settings_doc_fail("[%s] %s has no %s", row->section, row->key, what);
}

/* Each line of text as lines of a comment. */
static void
sample_write_comment(GString *out, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);
		gsize start = out->len;

		g_string_append_c(out, '#');
		for (guint j = 0; words[j]; j++) {
			if (out->len - start + 1 + strlen(words[j]) > SAMPLE_WIDTH) {
				g_string_append(out, "\n#");
				start = out->len - 1;
			}
			g_string_append_printf(out, " %s", words[j]);
		}
		g_string_append_c(out, '\n');
	}
}

static void
sample_write_section(GString *out, const struct section *section)
{
	g_string_append_c(out, '\n');
	if (section->example) {
		sample_write_comment(out, section->comment);
		g_string_append_printf(out, "#[%s]\n", section->example);
		return;
	}
	g_string_append_printf(out, "[%s]\n", section->name);
	sample_write_comment(out, section->comment);
}

static void
sample_write_row(GString *out, const struct config_setting_row *row)
{
	const char *value = row->fallback ? row->fallback : row->example;

	settings_doc_expect(row, value, "default, and no .example in its place");
	sample_write_comment(out, row->comment);
	g_string_append_printf(out, "#%s = %s\n", row->key, value);
	if (row->secret)
		g_string_append_printf(
		    out, "#%s_file = /etc/posthouse/%s.%s\n", row->key, row->section, row->key);
}

/* Ends the line that begins at *start. */
static void
manual_end_line(GString *out, gsize *start)
{
	if (out->len > *start)
		g_string_append_c(out, '\n');
	*start = out->len;
}

/* Writes what stands at p, {macro} with the punctuation behind it, as a line. Returns its end. */
static const char *
manual_write_macro(GString *out, const char *p)
{
	const char *end = strchr(p, '}');

	if (!end)
		settings_doc_fail("a { without its }: %s", p);
	g_string_append_c(out, '.');
	g_string_append_len(out, p + 1, end - p - 1);
	for (p = end + 1; *p && strchr(".,;:)", *p); p++)
		g_string_append_printf(out, " %c", *p);
	return p;
}

/* Writes the word at p in the line that begins at *start, or in a new one: there begins each
   sentence. Returns its end. */
static const char *
manual_write_word(GString *out, const char *p, gsize *start)
{
	gsize size = strcspn(p, " \n{");
	bool ends = out->len > *start && out->str[out->len - 1] == '.';

	if (out->len + 1 + size > *start + MANUAL_WIDTH || (ends && !g_ascii_islower(*p)))
		manual_end_line(out, start);
	if (out->len > *start)
		g_string_append_c(out, ' ');
	else if (*p == '.' || *p == '\'')
		g_string_append(out, "\\&");
	g_string_append_len(out, p, (gssize)size);
	return p + size;
}

static void
manual_write_text(GString *out, const char *text)
{
	gsize start = out->len;

	for (const char *p = text ? text : ""; *p;)
		if (*p == '{') {
			manual_end_line(out, &start);
			p = manual_write_macro(out, p);
			manual_end_line(out, &start);
		} else if (*p == '\n') {
			manual_end_line(out, &start);
			g_string_append(out, ".Pp\n");
			start = out->len;
			p += strspn(p, "\n");
		} else if (*p == ' ')
			p++;
		else
			p = manual_write_word(out, p, &start);
	manual_end_line(out, &start);
}

static void
manual_write_section(GString *out, const struct section *section)
{
	g_string_append_printf(out, ".Ss Section %s\n", section->name);
	manual_write_text(out, section->text);
	g_string_append(out, ".Bl -tag -width Ds\n");
}

static void
manual_add_type(GString *facts, const struct config_setting_row *row)
{
	static const char *const names[] = {
	    [SETTING_TYPE_TEXT] = "Text",
	    [SETTING_TYPE_PATH] = "Path",
	    [SETTING_TYPE_NUMBER] = "Number",
	    [SETTING_TYPE_SWITCH] = "Yes or no",
	    [SETTING_TYPE_CHOICE] = "One of ",
	    [SETTING_TYPE_LIST] = "List; each entry ",
	};

	g_string_append(facts, names[row->type]);
	if (row->type == SETTING_TYPE_NUMBER)
		g_string_append_printf(
		    facts, " from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, row->min, row->max);
	for (guint i = 0; row->choices[i]; i++)
		g_string_append_printf(facts, "%s%s", i > 0 ? ", " : "", row->choices[i]);
	if (row->form)
		g_string_append_printf(
		    facts, "%s%s", row->type == SETTING_TYPE_TEXT ? ": " : "", row->form);
}

/* The first sentence on a setting: type, range, form and default. Then its text. */
static void
manual_write_row(GString *out, const struct config_setting_row *row)
{
	g_autoptr(GString) facts = g_string_new(NULL);

	settings_doc_expect(row, row->text, ".text");
	manual_add_type(facts, row);
	if (row->secret)
		g_string_append_printf(
		    facts, "; secret, or %s_file names a file with it", row->key);
	if (row->required)
		g_string_append(facts, "; required");
	if (row->fallback)
		g_string_append_printf(facts, "; %s if not given", row->fallback);
	g_string_append_c(facts, '.');
	g_string_append_printf(out, ".It Ic %s\n", row->key);
	manual_write_text(out, facts->str);
	manual_write_text(out, row->text);
}

static const struct form {
	const char *name;
	void (*write_section)(GString *out, const struct section *section);
	void (*write_row)(GString *out, const struct config_setting_row *row);
	const char *section_end;
} forms[] = {
    {"sample", sample_write_section, sample_write_row, ""},
    {"manual", manual_write_section, manual_write_row, ".El\n"},
};

static void
settings_doc_write(GString *out, const struct form *form)
{
	bool began = false;

#define SECTION(...)                                                                               \
	if (began)                                                                                 \
		g_string_append(out, form->section_end);                                           \
	began = true;                                                                              \
	form->write_section(out, &(const struct section){__VA_ARGS__});
#define SETTING(name, ...) form->write_row(out, config_settings_describe(name));
#define RELAY(name, ...) form->write_row(out, config_relay_describe(name));
#define SOURCE(name, ...) form->write_row(out, config_source_describe(name));
#define PACE(name, ...) form->write_row(out, config_pace_describe(name));
#include "config/settings.def"
	g_string_append(out, form->section_end);
}

int
main(int argc, char **argv)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) out = g_string_new(NULL);
	const struct form *form = NULL;

	for (gsize i = 0; argc == 3 && i < G_N_ELEMENTS(forms); i++)
		if (strcmp(argv[1], forms[i].name) == 0)
			form = &forms[i];
	if (!form)
		settings_doc_fail("usage: settings_doc sample|manual FILE");
	if (!g_file_get_contents(argv[2], &text, NULL, &error))
		settings_doc_fail("%s", error->message);
	char *place = strstr(text, PLACE);
	if (!place)
		settings_doc_fail("%s has no line @settings", argv[2]);
	g_string_append_len(out, text, place + 1 - text);
	settings_doc_write(out, form);
	g_string_append(out, place + strlen(PLACE));
	return fputs(out->str, stdout) == EOF || fflush(stdout) == EOF;
}
