/* SPDX-License-Identifier: MIT */
/* Checks templates, tells what they refer to, and fills plain ones. */
#include "template/template.h"

#include <string.h>

#include "base/limits/template.h"
#include "template/blocks.h"
#include "template/out.h"
#include "template/part.h"
#include "template/tag.h"

bool
template_check(const char *source, gsize size, GError **error)
{
	g_autoptr(GArray) tags = template_blocks_read(source, size, true, error);

	return tags;
}

bool
template_plain_check(const char *source, gsize size, GError **error)
{
	struct template_scanner scanner = {.end = source + size, .plain = true};
	const char *p = source;
	struct template_tag tag;

	while ((p = template_tag_braces(p, scanner.end))) {
		const char *fault = template_tag_read(&scanner, p, &tag);
		if (fault)
			return template_blocks_fault(source, p, fault, error);
		p = tag.end;
	}
	return true;
}

/* Calls see for each tag of each part until it returns false. */
static void
template_walk(const char *source, gsize size, bool plain,
    bool (*see)(const struct template_tag *tag, void *context), void *context)
{
	const char *end = source + size, *next = source;
	struct template_part part;
	struct template_tag tag;
	bool goes_on = true;

	while (goes_on && template_part_next(&next, end, &part)) {
		struct template_scanner scanner = {.end = part.end, .plain = plain};
		const char *p = part.source;

		for (; goes_on && template_tag_find(&scanner, p, &tag); p = tag.end)
			goes_on = see(&tag, context);
	}
}

static bool
note_partial(const struct template_tag *tag, void *start)
{
	*(const char **)start = tag->kind == TAG_PARTIAL ? tag->start : NULL;
	return tag->kind != TAG_PARTIAL;
}

bool
template_check_subject(const char *source, gsize size, GError **error)
{
	const char *partial = NULL;

	if (!template_check(source, size, error))
		return false;
	template_walk(source, size, false, note_partial, &partial);
	return !partial ||
	       template_blocks_fault(source, partial, "a subject cannot include a template", error);
}

static bool
template_note(const struct template_tag *tag, void *found)
{
	*(bool *)found = true;
	return false;
}

bool
template_has_tags(const char *source, gsize size)
{
	bool found = size > 0 && !*source;

	if (!found)
		template_walk(source, size, false, template_note, &found);
	return found;
}

static bool
check_plain(const struct template_tag *tag, void *plain)
{
	bool *is_plain = plain;

	*is_plain = (tag->kind == TAG_VALUE || tag->kind == TAG_ELSE) && !tag->strip_before &&
		    !tag->strip_after && tag->path.root == PATH_HERE && tag->path.up == 0;
	return *is_plain;
}

bool
template_is_plain(const char *source, gsize size)
{
	bool plain = size == 0 || *source;

	if (plain)
		template_walk(source, size, false, check_plain, &plain);
	return plain;
}

/* Those who want the names. */
struct names {
	void (*name)(const char *name, void *context);
	void *context;
};

static bool
tell_name(const struct template_tag *tag, void *context)
{
	const struct names *names = context;
	const char *name = tag->path.name;

	if (tag->kind == TAG_COMMENT || tag->kind == TAG_PARTIAL || tag->kind == TAG_CLOSE ||
	    tag->kind == TAG_TEXT || tag->path.root > PATH_ROOT)
		return true;
	names->name(name, names->context);
	if (g_str_has_prefix(name, "this"))
		names->name(name + strlen("this") + (name[strlen("this")] == '.'), names->context);
	return true;
}

static bool
tell_plain_name(const struct template_tag *tag, void *context)
{
	const struct names *names = context;

	names->name(tag->path.name, names->context);
	return true;
}

void
template_references(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context)
{
	struct names names = {name, context};

	template_walk(source, size, false, tell_name, &names);
}

/* The open blocks; a source that was checked closes each in its own part. */
struct scopes {
	struct names names;
	bool bare; /* only values without a fallback */
	guint depth;
	bool has_items[LIMIT_TEMPLATE_BLOCKS];
};

/* Tells the name if it leads from the variables. */
static void
tell_outer(const struct template_tag *tag, const struct scopes *scopes)
{
	bool is_printed = tag->kind == TAG_VALUE || tag->kind == TAG_FILTER;
	guint items = 0;

	if (scopes->bare && (!is_printed || tag->fallback))
		return;
	for (guint i = 0; i < scopes->depth; i++)
		items += scopes->has_items[i];
	if (tag->path.root == PATH_ROOT || tag->path.up >= items)
		tell_name(tag, (void *)&scopes->names);
}

static bool
tell_variable(const struct template_tag *tag, void *context)
{
	struct scopes *scopes = context;
	bool is_else = tag->kind == TAG_ELSE || tag->kind == TAG_ELSE_IF;

	if (is_else && scopes->depth > 0)
		scopes->has_items[scopes->depth - 1] = false;
	if (tag->kind == TAG_CLOSE && scopes->depth > 0)
		scopes->depth--;
	if (tag->kind != TAG_ELSE || scopes->depth == 0)
		tell_outer(tag, scopes);
	if ((tag->kind == TAG_IF || tag->kind == TAG_UNLESS || tag->kind == TAG_EACH) &&
	    scopes->depth < LIMIT_TEMPLATE_BLOCKS)
		scopes->has_items[scopes->depth++] = tag->kind == TAG_EACH;
	return true;
}

void
template_variables(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context)
{
	struct scopes scopes = {.names = {name, context}};

	template_walk(source, size, false, tell_variable, &scopes);
}

void
template_bare_variables(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context)
{
	struct scopes scopes = {.names = {name, context}, .bare = true};

	template_walk(source, size, false, tell_variable, &scopes);
}

void
template_plain_references(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context)
{
	struct names names = {name, context};

	template_walk(source, size, true, tell_plain_name, &names);
}

struct search {
	const char *name;
	bool found;
};

static void
template_compare(const char *name, void *context)
{
	struct search *search = context;

	search->found |= strcmp(name, search->name) == 0;
}

bool
template_refers(const char *source, gsize size, const char *name)
{
	struct search search = {name, false};

	if (memmem(source, size, name, strlen(name)))
		template_references(source, size, template_compare, &search);
	return search.found;
}

static bool
tell_include(const struct template_tag *tag, void *context)
{
	const struct names *names = context;

	if (tag->kind == TAG_PARTIAL)
		names->name(tag->path.name, names->context);
	return true;
}

void
template_includes(
    const char *source, gsize size, void (*include)(const char *id, void *context), void *context)
{
	struct names names = {include, context};

	template_walk(source, size, false, tell_include, &names);
}

static bool
template_check_body(const struct template_tag *tag, void *found)
{
	*(bool *)found = template_tag_is_body(tag);
	return !*(bool *)found;
}

bool
template_has_body(const char *source, gsize size)
{
	bool found = false;

	template_walk(source, size, false, template_check_body, &found);
	return found;
}

char *
template_plain_render(const struct template_source *source, template_lookup lookup, void *context,
    gsize *size_r, GError **error)
{
	struct template_scanner scanner = {.end = source->text + source->size, .plain = true};
	GString *out = g_string_sized_new(source->size);
	const char *p = source->text;
	struct template_tag tag;

	while (out->len <= LIMIT_RENDERED_BYTES && template_tag_find(&scanner, p, &tag)) {
		g_string_append_len(out, p, tag.start - p);
		template_out_append(out, &tag, source->kind, lookup(tag.path.name, context));
		p = tag.end;
	}
	g_string_append_len(out, p, scanner.end - p);
	return template_out_end(out, size_r, error);
}
