/* SPDX-License-Identifier: MIT */
/* Fills templates for handlebars.sh: each line of standard input is {template, partials, data};
 * each of standard output is {text} or {error}. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "content/variables.h"
#include "json/strict.h"
#include "json/value.h"
#include "json/writer.h"
#include "template/part.h"
#include "template/template.h"
#include "template/value.h"

/* Joins the template with its partials. */
static GString *
fill_templates_join(const struct json *line)
{
	struct json_iterator partials = json_members(json_member_get(line, "partials"));
	const char *template = json_string(json_member_get(line, "template"), NULL);
	GString *joined = g_string_new(NULL);
	const struct json *partial;
	const char *id;

	if (!json_member_count(json_member_get(line, "partials")))
		return g_string_append(joined, template);
	template_join(joined, "", template, strlen(template));
	while (json_iterator_next(&partials, &id, &partial)) {
		const char *source = json_string(partial, NULL);
		template_join(joined, id, source, strlen(source));
	}
	return joined;
}

static char *
fill_templates_fill(const struct json *line, GError **error)
{
	AUTO(content_variables) variables = content_variables_new();
	struct content_variables_values own = {variables, NULL};
	const struct template_values values = content_variables_values(&own);
	g_autoptr(GString) joined = fill_templates_join(line);
	const char *template = json_string(json_member_get(line, "template"), NULL);

	if (!template_check(template, strlen(template), error) ||
	    !content_variables_add(variables, json_member_get(line, "data"), error))
		return NULL;
	return template_render(
	    &(struct template_source){joined->str, joined->len, TEMPLATE_HTML, "html"}, &values,
	    NULL, error);
}

int
main(void)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t size;

	while ((size = getline(&text, &room, stdin)) > 0) {
		g_autoptr(GError) error = NULL;
		AUTO(json) line = json_parse(text, (gsize)size, &error);
		g_autofree char *filled = line ? fill_templates_fill(line, &error) : NULL;
		AUTO(json_writer) writer = json_writer_new();

		json_writer_begin_object(writer, NULL);
		json_writer_string(
		    writer, filled ? "text" : "error", filled ? filled : error->message);
		json_writer_end_object(writer);
		g_autofree char *answer = json_writer_take(writer, NULL);
		puts(answer);
	}
	free(text);
	return 0;
}
