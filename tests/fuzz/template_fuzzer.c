/* SPDX-License-Identifier: MIT */
/* Templates: template/template.h of any source. */
#include <string.h>

#include "base/limits/template.h"
#include "template/part.h"
#include "template/template.h"
#include "template/value.h"
#include "tests/fuzz/fuzz.h"

#define LENGTH 3 /* of each array and object */

static const char text[] = "<a&b\r\n\"'>{{x}}";

/* Names give values of each kind, by their first letter. */
static struct template_value
template_fuzzer_value_of(const char *name)
{
	switch (name[0]) {
	case 'a':
		return (struct template_value){VALUE_ARRAY, NULL, text, LENGTH};
	case 'f':
		return (struct template_value){VALUE_FALSE, "false", NULL, 0};
	case 'n':
		return (struct template_value){VALUE_NONE, NULL, NULL, 0};
	case 'o':
		return (struct template_value){VALUE_OBJECT, NULL, text, LENGTH};
	case '1':
		return (struct template_value){VALUE_NUMBER, "-1795161600123", NULL, 0};
	default:
		return (struct template_value){VALUE_TEXT, text, NULL, 0};
	}
}

static struct template_value
template_fuzzer_variable(const char *name, void *context)
{
	g_assert(strlen(name) <= LIMIT_VARIABLE_NAME_LENGTH);
	return template_fuzzer_value_of(name);
}

static struct template_value
template_fuzzer_member(const void *node, const char *name)
{
	g_assert(node == text);
	return template_fuzzer_value_of(name);
}

static struct template_value
template_fuzzer_at(const void *node, gsize index, const char **name_r)
{
	static const char *const names[LENGTH] = {"a", "o", "1"};

	g_assert(node == text && index < LENGTH);
	*name_r = names[index];
	return template_fuzzer_value_of(names[index]);
}

static const struct template_values values = {
    template_fuzzer_variable, template_fuzzer_member, template_fuzzer_at, NULL, 0};

static void
template_fuzzer_see(const char *name, void *count)
{
	g_assert(strlen(name) <= LIMIT_VARIABLE_NAME_LENGTH);
	g_assert(strspn(name, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.-") == strlen(name));
	(*(gsize *)count)++;
}

static const char *
none(const char *name, void *context)
{
	return NULL;
}

/* A reference takes five bytes at least, and gives nothing or a part of the source. */
static void
template_fuzzer_render_plain(const char *source, gsize size, enum template_kind kind)
{
	gsize empty_size, count = 0;
	g_autofree char *empty = template_plain_render(
	    &(struct template_source){source, size, kind, NULL}, none, NULL, &empty_size, NULL);

	template_plain_references(source, size, template_fuzzer_see, &count);
	g_assert(count <= size / strlen("{{a}}"));
	g_assert(empty && empty_size <= size);
	if (count == 0)
		g_assert(empty_size == size && memcmp(empty, source, size) == 0);
}

static void
template_fuzzer_render(const char *source, gsize size, enum template_kind kind)
{
	bool has_tags = template_has_tags(source, size);
	g_autoptr(GError) error = NULL;
	gsize filled_size;
	g_autofree char *filled = template_render(
	    &(struct template_source){source, size, kind, "html"}, &values, &filled_size, &error);

	g_assert(filled || error);
	if (!has_tags)
		g_assert(filled_size == size && (size == 0 || memcmp(filled, source, size) == 0));
}

/* The source as it is, and as a layout of itself that includes itself. */
static void
render_both(const char *source, gsize size)
{
	g_autoptr(GString) joined = g_string_new(NULL);

	template_join(joined, "", source, size);
	template_join(joined, "", source, size);
	template_join(joined, "a", source, size);
	for (guint kind = TEMPLATE_HTML; kind <= TEMPLATE_HEADER; kind++) {
		template_fuzzer_render(source, size, (enum template_kind)kind);
		if (*source)
			template_fuzzer_render_plain(source, size, (enum template_kind)kind);
		if (size < 300)
			template_fuzzer_render(joined->str, joined->len, (enum template_kind)kind);
	}
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	const char *source = (const char *)data;
	g_autoptr(GError) error = NULL;
	gsize count = 0;

	if (size == 0)
		return 0;
	template_references(source, size, template_fuzzer_see, &count);
	template_includes(source, size, template_fuzzer_see, &count);
	template_has_body(source, size);
	template_is_plain(source, size);
	template_refers(source, size, "url");
	g_assert(!template_check(source, size, &error) == (error != NULL));
	render_both(source, size);
	return 0;
}
