/* SPDX-License-Identifier: MIT */
/* Checks templates, tells what they refer to, and fills plain ones. */
#include "mail/template.h"

#include <string.h>

#include "base/limits.h"
#include "mail/template_blocks.h"
#include "mail/template_out.h"
#include "mail/template_part.h"
#include "mail/template_tag.h"

bool
mail_template_check(const char *source, gsize size, GError **error)
{
	g_autoptr(GArray) tags = mail_template_blocks_read(source, size, true, error);

	return tags;
}

bool
mail_template_plain_check(const char *source, gsize size, GError **error)
{
	struct mail_template_scanner scanner = {.end = source + size, .plain = true};
	const char *p = source;
	struct mail_template_tag tag;

	while ((p = mail_template_tag_braces(p, scanner.end))) {
		const char *fault = mail_template_tag_read(&scanner, p, &tag);
		if (fault)
			return mail_template_blocks_fault(source, p, fault, error);
		p = tag.end;
	}
	return true;
}

/* Calls see for each tag of each part until it returns false. */
static void
walk(const char *source, gsize size, bool plain,
    bool (*see)(const struct mail_template_tag *tag, void *context), void *context)
{
	const char *end = source + size, *next = source;
	struct mail_template_part part;
	struct mail_template_tag tag;
	bool goes_on = true;

	while (goes_on && mail_template_part_next(&next, end, &part)) {
		struct mail_template_scanner scanner = {.end = part.end, .plain = plain};
		const char *p = part.source;

		for (; goes_on && mail_template_tag_find(&scanner, p, &tag); p = tag.end)
			goes_on = see(&tag, context);
	}
}

static bool
note_partial(const struct mail_template_tag *tag, void *start)
{
	*(const char **)start = tag->kind == TAG_PARTIAL ? tag->start : NULL;
	return tag->kind != TAG_PARTIAL;
}

bool
mail_template_check_subject(const char *source, gsize size, GError **error)
{
	const char *partial = NULL;

	if (!mail_template_check(source, size, error))
		return false;
	walk(source, size, false, note_partial, &partial);
	return !partial || mail_template_blocks_fault(
			       source, partial, "a subject cannot include a template", error);
}

static bool
note(const struct mail_template_tag *tag, void *found)
{
	*(bool *)found = true;
	return false;
}

bool
mail_template_has_tags(const char *source, gsize size)
{
	bool found = size > 0 && !*source;

	if (!found)
		walk(source, size, false, note, &found);
	return found;
}

static bool
check_plain(const struct mail_template_tag *tag, void *plain)
{
	bool *is_plain = plain;

	*is_plain = (tag->kind == TAG_VALUE || tag->kind == TAG_ELSE) && !tag->strip_before &&
		    !tag->strip_after && tag->path.root == PATH_HERE && tag->path.up == 0;
	return *is_plain;
}

bool
mail_template_is_plain(const char *source, gsize size)
{
	bool plain = size == 0 || *source;

	if (plain)
		walk(source, size, false, check_plain, &plain);
	return plain;
}

/* Those who want the names. */
struct names {
	void (*name)(const char *name, void *context);
	void *context;
};

static bool
tell_name(const struct mail_template_tag *tag, void *context)
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
tell_plain_name(const struct mail_template_tag *tag, void *context)
{
	const struct names *names = context;

	names->name(tag->path.name, names->context);
	return true;
}

void
mail_template_references(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context)
{
	struct names names = {name, context};

	walk(source, size, false, tell_name, &names);
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
tell_outer(const struct mail_template_tag *tag, const struct scopes *scopes)
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
tell_variable(const struct mail_template_tag *tag, void *context)
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
mail_template_variables(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context)
{
	struct scopes scopes = {.names = {name, context}};

	walk(source, size, false, tell_variable, &scopes);
}

void
mail_template_bare_variables(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context)
{
	struct scopes scopes = {.names = {name, context}, .bare = true};

	walk(source, size, false, tell_variable, &scopes);
}

void
mail_template_plain_references(
    const char *source, gsize size, void (*name)(const char *name, void *context), void *context)
{
	struct names names = {name, context};

	walk(source, size, true, tell_plain_name, &names);
}

struct search {
	const char *name;
	bool found;
};

static void
compare(const char *name, void *context)
{
	struct search *search = context;

	search->found |= strcmp(name, search->name) == 0;
}

bool
mail_template_refers(const char *source, gsize size, const char *name)
{
	struct search search = {name, false};

	if (memmem(source, size, name, strlen(name)))
		mail_template_references(source, size, compare, &search);
	return search.found;
}

static bool
tell_include(const struct mail_template_tag *tag, void *context)
{
	const struct names *names = context;

	if (tag->kind == TAG_PARTIAL)
		names->name(tag->path.name, names->context);
	return true;
}

void
mail_template_includes(
    const char *source, gsize size, void (*include)(const char *id, void *context), void *context)
{
	struct names names = {include, context};

	walk(source, size, false, tell_include, &names);
}

static bool
check_body(const struct mail_template_tag *tag, void *found)
{
	*(bool *)found = mail_template_tag_is_body(tag);
	return !*(bool *)found;
}

bool
mail_template_has_body(const char *source, gsize size)
{
	bool found = false;

	walk(source, size, false, check_body, &found);
	return found;
}

char *
mail_template_plain_render(const char *source, gsize size, enum mail_template_kind kind,
    mail_template_lookup lookup, void *context, gsize *size_r, GError **error)
{
	struct mail_template_scanner scanner = {.end = source + size, .plain = true};
	GString *out = g_string_sized_new(size);
	const char *p = source;
	struct mail_template_tag tag;

	while (out->len <= LIMIT_RENDERED_BYTES && mail_template_tag_find(&scanner, p, &tag)) {
		g_string_append_len(out, p, tag.start - p);
		mail_template_out_append(out, &tag, kind, lookup(tag.path.name, context));
		p = tag.end;
	}
	g_string_append_len(out, p, scanner.end - p);
	return mail_template_out_end(out, size_r, error);
}
