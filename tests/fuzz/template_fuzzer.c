/* SPDX-License-Identifier: MIT */
/* Templates: mail/template.h of any source. */
#include <string.h>

#include "base/limits.h"
#include "mail/template.h"
#include "tests/fuzz/fuzz.h"

#define VALUE "<a&b\r\n\"'>{{x}}"
#define ESCAPED_VALUE 6 /* times as long in html: &quot; */

struct seen {
	const char *source;
	gsize size, count;
};

static void
see(const char *name, void *context)
{
	struct seen *seen = context;
	gsize length = strlen(name);

	g_assert(length >= 1 && length <= LIMIT_VARIABLE_NAME_LENGTH);
	g_assert(strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.-") == length);
	g_assert(seen->count > 100 || mail_template_refers(seen->source, seen->size, name));
	seen->count++;
}

static const char *
none(const char *name, void *context)
{
	return NULL;
}

static const char *
some(const char *name, void *context)
{
	return name[0] == 'n' ? NULL : VALUE;
}

/* A reference takes five bytes at least, and gives a value or a part of the source. */
static void
render(const struct seen *seen, enum mail_template_kind kind)
{
	gsize most = seen->size + seen->count * strlen(VALUE) * ESCAPED_VALUE, size;
	g_autofree char *text =
	    mail_template_render(seen->source, seen->size, kind, some, NULL, &size, NULL);
	g_autofree char *empty =
	    mail_template_render(seen->source, seen->size, kind, none, NULL, &size, NULL);

	g_assert(text && strlen(text) <= most);
	g_assert(empty && size <= seen->size);
	if (seen->count == 0)
		g_assert(size == seen->size && memcmp(empty, seen->source, size) == 0);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	struct seen seen = {.source = (const char *)data, .size = size};
	GError *error = NULL;

	mail_template_references(seen.source, size, see, &seen);
	g_assert(mail_template_has_references(seen.source, size) == (seen.count > 0));
	g_assert(seen.count <= size / strlen("{{a}}"));
	if (!mail_template_check(seen.source, size, &error))
		g_clear_error(&error);
	for (guint kind = MAIL_TEMPLATE_HTML; kind <= MAIL_TEMPLATE_HEADER; kind++)
		render(&seen, (enum mail_template_kind)kind);
	return 0;
}
