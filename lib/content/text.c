/* SPDX-License-Identifier: MIT */
/* Fills texts. */
#include "content/text.h"

#include <string.h>

#include "template/value.h"
#include "template/template.h"

void
content_text_names(const char *source, void (*name)(const char *name, void *context), void *context)
{
	template_references(source, strlen(source), name, context);
}

bool
content_text_is_plain(const char *source)
{
	return template_is_plain(source, strlen(source));
}

char *
content_text_fill(const char *part, const char *source, bool is_header,
    content_text_resolve resolve, void *context, GError **error)
{
	gsize size = strlen(source);

	if (!template_has_tags(source, size))
		return g_strdup(source);
	AUTO(content_variables) variables = content_variables_new();
	struct content_variables_values all = {variables, NULL};
	if (!content_variables_resolve(variables, source, size, resolve, context, error))
		return NULL;
	const struct template_values values = content_variables_values(&all);
	return template_render(&(struct template_source){source, size,
				   is_header ? TEMPLATE_HEADER : TEMPLATE_TEXT, part},
	    &values, NULL, error);
}
