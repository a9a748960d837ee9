/* SPDX-License-Identifier: MIT */
/* Prints answers as sentences and tables, or as JSON, and pages of long lists. */
#include "cli/output.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "cli/value.h"
#include "config/log.h"
#include "json/view.h"
#include "json/writer.h"
#include "text/width.h"

#define NAME_WIDTH 10 /* minimum width of field names */

struct cli_output {
	struct json_writer *json; /* NULL: for people */
	const char *none;
	GPtrArray *cells; /* of the table, row by row, headings first */
	guint columns;
	bool open;	 /* the JSON object of fields and lists has begun */
	char *id, *name; /* that the answer names */
};

struct cli_output *
cli_output_new(bool json)
{
	struct cli_output *output = g_new0(struct cli_output, 1);

	if (json)
		output->json = json_writer_new();
	return output;
}

void
cli_output_free(struct cli_output *output)
{
	g_clear_pointer(&output->json, json_writer_free);
	g_clear_pointer(&output->cells, g_ptr_array_unref);
	g_free(output->id);
	g_free(output->name);
	g_free(output);
}

struct cli_field
cli_text(const char *name, const char *text)
{
	return (struct cli_field){.name = name, .type = CLI_TEXT, .text = text};
}

struct cli_field
cli_id(const char *name, const struct base_id *id)
{
	struct cli_field field = {.name = name, .type = CLI_ID};

	base_id_format(id, field.id);
	return field;
}

struct cli_field
cli_number(const char *name, gint64 number)
{
	return (struct cli_field){.name = name, .type = CLI_NUMBER, .number = number};
}

struct cli_field
cli_time(const char *name, gint64 epoch_ms)
{
	return (struct cli_field){.name = name, .type = CLI_TIME, .number = epoch_ms};
}

struct cli_field
cli_truth(const char *name, bool truth)
{
	return (struct cli_field){.name = name, .type = CLI_TRUTH, .number = truth};
}

struct cli_field
cli_json(const char *name, const char *json)
{
	return (struct cli_field){.name = name, .type = CLI_JSON, .text = json};
}

static struct cli_field
output_field(const char *name, const struct json_view_value *value)
{
	switch (value->type) {
	case VIEW_ID:
		return cli_id(name, value->id);
	case VIEW_TEXT:
		return cli_text(name, value->text);
	case VIEW_TIME:
		return cli_time(name, value->number);
	case VIEW_TRUTH:
		return cli_truth(name, value->number != 0);
	case VIEW_INTEGER:
		return cli_number(name, value->number);
	default:
		return cli_json(name, value->text ? value->text : "null");
	}
}

struct cli_field
cli_member(const char *name, const struct json_view *view, const char *member, const void *row)
{
	const struct json_view_value value = json_view_value(view, member, row, NULL);

	return output_field(name, &value);
}

/* The fields of a noun. made: texts that they borrow. The caller owns them. */
static GArray *
output_view_fields(const struct cli_thing *thing, GPtrArray *made)
{
	GArray *fields = g_array_new(FALSE, FALSE, sizeof(struct cli_field));

	for (guint i = 0; i < thing->view->count; i++) {
		const struct json_view_member *member = &thing->view->members[i];

		if (!json_view_has(thing->view, member))
			continue;
		const struct json_view_value value =
		    json_view_value(thing->view, member->name, thing->row, thing->context);
		const struct cli_field field = output_field(member->name, &value);
		g_array_append_val(fields, field);
		g_ptr_array_add(made, value.made);
	}
	if (thing->more)
		g_array_append_val(fields, *thing->more);
	return fields;
}

static void
output_write_field(struct json_writer *json, const struct cli_field *field)
{
	if (field->type == CLI_TEXT)
		json_writer_string(json, field->name, field->text);
	else if (field->type == CLI_JSON && field->text)
		json_writer_raw(json, field->name, field->text, strlen(field->text));
	else if (field->type == CLI_ID)
		json_writer_string(json, field->name, field->id);
	else if (field->type == CLI_TRUTH)
		json_writer_boolean(json, field->name, field->number != 0);
	else if (field->type == CLI_JSON || (field->type == CLI_TIME && field->number == 0))
		json_writer_null(json, field->name);
	else
		json_writer_integer(json, field->name, field->number);
}

static void
output_write_object(struct json_writer *json, const struct cli_field *fields, gsize count)
{
	json_writer_begin_object(json, NULL);
	for (gsize i = 0; i < count; i++)
		output_write_field(json, &fields[i]);
	json_writer_end_object(json);
}

/* Keeps the id and the name of what the answer is about. */
static void
keep_names(struct cli_output *output, const struct cli_field *fields, gsize count)
{
	for (gsize i = 0; i < count; i++) {
		const struct cli_field *field = &fields[i];

		if (!output->id && strcmp(field->name, "id") == 0)
			output->id = g_strdup(field->type == CLI_ID ? field->id : field->text);
		if (!output->name && strcmp(field->name, "name") == 0)
			output->name = g_strdup(field->text);
	}
}

void
cli_output_about(struct cli_output *output, const struct base_id *id, const char *name)
{
	char text[ID_TEXT_SIZE];

	if (!output->id && id)
		output->id = g_strdup(base_id_format(id, text));
	if (!output->name)
		output->name = g_strdup(name);
}

void
cli_output_named(const struct cli_output *output, const char **id_r, const char **name_r)
{
	*id_r = output->id;
	*name_r = output->name;
}

/* Prints a line with control characters escaped, since stored text must not control the terminal.
 */
static void
print_line(const char *text)
{
	g_autofree char *shown = config_log_escape(text);

	puts(shown);
}

static void
print_json(struct json_writer *json)
{
	g_autofree char *text = json_writer_take(json, NULL);

	puts(text);
}

static void G_GNUC_PRINTF(4, 0) output_say(struct cli_output *output,
    const struct cli_field *fields, gsize count, const char *format, va_list args)
{
	keep_names(output, fields, count);
	if (output->json) {
		output_write_object(output->json, fields, count);
		print_json(output->json);
		return;
	}
	g_autofree char *text = g_strdup_vprintf(format, args);
	print_line(text);
}

void
cli_output_say(
    struct cli_output *output, const struct cli_field *fields, gsize count, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	output_say(output, fields, count, format, args);
	va_end(args);
}

void
cli_output_say_view(
    struct cli_output *output, const struct cli_thing *thing, const char *format, ...)
{
	g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) fields = output_view_fields(thing, made);
	va_list args;

	va_start(args, format);
	output_say(
	    output, (const struct cli_field *)(void *)fields->data, fields->len, format, args);
	va_end(args);
}

void
cli_output_progress(struct cli_output *output, const char *format, ...)
{
	va_list args;

	if (output->json)
		return;
	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	print_line(text);
	fflush(stdout);
}

void
cli_output_list_begin(struct cli_output *output, const char *name, const char *none)
{
	output->none = none;
	output->cells = g_ptr_array_new_with_free_func(g_free);
	output->columns = 0;
	if (!output->json)
		return;
	if (!output->open)
		json_writer_begin_object(output->json, NULL);
	output->open = false;
	json_writer_begin_array(output->json, name);
}

static char *
cell(const struct cli_field *field)
{
	char time[CLOCK_ISO_SIZE];

	switch (field->type) {
	case CLI_TEXT:
	case CLI_JSON:
		return config_log_escape(field->text && *field->text ? field->text : "-");
	case CLI_ID:
		return g_strdup(field->id);
	case CLI_TRUTH:
		return g_strdup(field->number ? "yes" : "no");
	case CLI_TIME:
		return g_strdup(field->number ? base_clock_format(field->number, time) : "-");
	default:
		return g_strdup_printf("%" G_GINT64_FORMAT, field->number);
	}
}

void
cli_output_facts(struct cli_output *output, const struct cli_field *fields, gsize count)
{
	if (output->json) {
		json_writer_begin_object(output->json, NULL);
		output->open = true;
	}
	gsize width = NAME_WIDTH;
	for (gsize i = 0; i < count; i++)
		width = MAX(width, strlen(fields[i].name));
	for (gsize i = 0; i < count; i++) {
		if (output->json) {
			output_write_field(output->json, &fields[i]);
			continue;
		}
		g_autofree char *text = cell(&fields[i]);
		printf("%-*s %s\n", (int)width, fields[i].name, text);
	}
}

void
cli_output_thing(struct cli_output *output, const struct cli_field *fields, gsize count)
{
	keep_names(output, fields, count);
	cli_output_facts(output, fields, count);
	if (!output->json)
		return;
	output->open = false;
	json_writer_end_object(output->json);
	print_json(output->json);
}

/* Prints lines for a terminal, with all other control characters escaped. */
static void
print_lines(const char *text, gsize size)
{
	g_autofree char *whole = g_strndup(text, size);
	g_auto(GStrv) lines = g_strsplit(whole, "\n", -1);

	for (char **line = lines; *line; line++) {
		if (g_str_has_suffix(*line, "\r"))
			(*line)[strlen(*line) - 1] = '\0';
		print_line(*line);
	}
}

void
cli_output_text(struct cli_output *output, const char *name, GBytes *text)
{
	gsize size;
	const char *bytes = g_bytes_get_data(text, &size);

	if (output->json) {
		json_writer_begin_object(output->json, NULL);
		json_writer_string_sized(output->json, name, bytes ? bytes : "", size);
		json_writer_end_object(output->json);
		print_json(output->json);
	} else if (isatty(STDOUT_FILENO)) {
		print_lines(bytes ? bytes : "", size);
	} else if (size > 0) {
		fwrite(bytes, 1, size, stdout);
	}
}

void
cli_output_row(struct cli_output *output, const struct cli_field *fields, gsize count)
{
	if (output->json) {
		output_write_object(output->json, fields, count);
		return;
	}
	if (output->columns == 0)
		for (gsize i = 0; i < count; i++)
			g_ptr_array_add(output->cells, g_ascii_strup(fields[i].name, -1));
	output->columns = (guint)count;
	for (gsize i = 0; i < count; i++)
		g_ptr_array_add(output->cells, cell(&fields[i]));
}

static void
print_table(const struct cli_output *output)
{
	g_autofree guint *widths = g_new0(guint, output->columns);
	const GPtrArray *cells = output->cells;

	for (guint i = 0; i < cells->len; i++)
		widths[i % output->columns] =
		    MAX(widths[i % output->columns], text_width(cells->pdata[i]));
	for (guint i = 0; i < cells->len; i++) {
		guint column = i % output->columns;
		const char *text = cells->pdata[i];

		fputs(text, stdout);
		if (column + 1 == output->columns)
			putchar('\n');
		else
			printf("%*s", (int)(widths[column] - text_width(text) + 2), "");
	}
}

void
cli_output_list_next(struct cli_output *output)
{
	if (output->json) {
		json_writer_end_array(output->json);
		output->open = true;
	} else if (output->columns > 0) {
		print_table(output);
	} else if (output->none) {
		puts(output->none);
	}
	g_clear_pointer(&output->cells, g_ptr_array_unref);
}

void
cli_output_row_view(struct cli_output *output, const struct cli_thing *thing)
{
	g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) fields = output_view_fields(thing, made);
	bool some = thing->columns && !output->json;

	cli_output_row(output, (const struct cli_field *)(void *)fields->data,
	    some ? thing->columns : fields->len);
}

void
cli_output_facts_view(struct cli_output *output, const struct cli_thing *thing)
{
	g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) fields = output_view_fields(thing, made);

	cli_output_facts(output, (const struct cli_field *)(void *)fields->data, fields->len);
}

void
cli_output_thing_view(struct cli_output *output, const struct cli_thing *thing)
{
	g_autoptr(GPtrArray) made = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GArray) fields = output_view_fields(thing, made);

	cli_output_thing(output, (const struct cli_field *)(void *)fields->data, fields->len);
}

void
cli_output_list_end(struct cli_output *output)
{
	cli_output_list_next(output);
	if (!output->json)
		return;
	output->open = false;
	json_writer_end_object(output->json);
	print_json(output->json);
}

void
cli_output_item(
    struct cli_output *output, const struct cli_field *fields, gsize count, const char *text)
{
	if (output->json) {
		output_write_object(output->json, fields, count);
		return;
	}
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line && line[1]; line++)
		print_line(*line);
	fflush(stdout);
}

void
cli_output_object(struct cli_output *output, const struct base_id *id, const char *object)
{
	cli_output_about(output, id, NULL);
	if (!output->json)
		return;
	json_writer_raw(output->json, NULL, object, strlen(object));
	if (!output->cells)
		print_json(output->json);
}

bool
cli_output_flush(struct cli_output *output)
{
	return fflush(stdout) == 0 && !ferror(stdout);
}

#define LIMIT 50

const struct base_id *
cli_page_before(const struct cli_value *before)
{
	return before->text ? &before->id : NULL;
}

guint
cli_page_limit(const struct cli_value *limit)
{
	return limit->text ? (guint)limit->number : LIMIT;
}

void
cli_page_rest(struct cli_output *output, const struct base_id *last)
{
	char id[ID_TEXT_SIZE];

	cli_output_progress(output, "There are more: --before %s", base_id_format(last, id));
}
