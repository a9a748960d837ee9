/* SPDX-License-Identifier: MIT */
/* Finds the blocks of a template, and the white space that their tags take away. */
#include "template/blocks.h"

#include "base/error.h"
#include "template/date.h"
#include "template/space.h"

/* A block whose end has not been read yet. */
struct open {
	guint32 first, last; /* numbers of its tags */
	enum template_tag_kind kind;
	bool has_else;
};

struct reading {
	const char *source;
	struct template_scanner scanner;
	GArray *tags;		    /* of struct template_block_tag */
	GArray *open;		    /* of struct open */
	GHashTable *zones;	    /* NULL: not asked for */
	guint counts[TAG_EACH + 1]; /* open blocks of each kind */
	bool strict;
};

static const char *const not_closed[] = {[TAG_IF] = "\"{{#if\" is not closed by \"{{/if}}\"",
    [TAG_UNLESS] = "\"{{#unless\" is not closed by \"{{/unless}}\"",
    [TAG_EACH] = "\"{{#each\" is not closed by \"{{/each}}\""};
static const char *const not_opened[] = {[TAG_IF] = "\"{{/if}}\" closes no \"{{#if\"",
    [TAG_UNLESS] = "\"{{/unless}}\" closes no \"{{#unless\"",
    [TAG_EACH] = "\"{{/each}}\" closes no \"{{#each\""};
static const char too_deep[] = "blocks are more than 32 deep";

G_STATIC_ASSERT(LIMIT_TEMPLATE_BLOCKS == 32);

bool
template_blocks_fault(const char *source, const char *p, const char *fault, GError **error)
{
	gsize line = 1;

	for (const char *c = source; c < p; c++)
		line += *c == '\n';
	return base_invalid(error, "line %" G_GSIZE_FORMAT ": %s", line, fault);
}

static struct template_block_tag *
tag_at(const struct reading *reading, guint32 number)
{
	return &g_array_index(reading->tags, struct template_block_tag, number);
}

static struct open *
blocks_innermost(const struct reading *reading)
{
	return reading->open->len > 0
		   ? &g_array_index(reading->open, struct open, reading->open->len - 1)
		   : NULL;
}

/* Adds a tag, and returns its number. */
static guint32
blocks_add(struct reading *reading, const struct template_tag *tag, bool is_literal)
{
	const struct template_block_tag one = {
	    .at = (guint32)(tag->start - reading->source) & TEMPLATE_BLOCKS_BYTES,
	    .is_literal = is_literal,
	    .next = reading->tags->len,
	};

	g_array_append_val(reading->tags, one);
	return reading->tags->len - 1;
}

/* Makes the tags of the innermost block literal. */
static void
blocks_drop(struct reading *reading)
{
	const struct open *open = blocks_innermost(reading);

	for (guint32 i = open->first;; i = tag_at(reading, i)->next) {
		tag_at(reading, i)->is_literal = true;
		if (i == tag_at(reading, i)->next)
			break;
	}
	reading->counts[open->kind]--;
	g_array_set_size(reading->open, reading->open->len - 1);
}

/* NULL, or the fault. */
static const char *
blocks_read_open(struct reading *reading, const struct template_tag *tag)
{
	guint32 number = blocks_add(reading, tag, false);
	const struct open open = {number, number, tag->kind, false};

	g_array_append_val(reading->open, open);
	reading->counts[tag->kind]++;
	return reading->open->len > LIMIT_TEMPLATE_BLOCKS ? too_deep : NULL;
}

static const char *
read_else(struct reading *reading, const struct template_tag *tag)
{
	struct open *open = blocks_innermost(reading);

	if (!open)
		return tag->kind == TAG_ELSE ? NULL : "\"{{else if\" stands in no block";
	guint32 number = blocks_add(reading, tag, open->has_else);
	if (open->has_else)
		return "a block has \"{{else}}\" twice";
	tag_at(reading, open->last)->next = number;
	open->last = number;
	open->has_else = tag->kind == TAG_ELSE;
	return NULL;
}

static const char *
blocks_read_close(struct reading *reading, const struct template_tag *tag)
{
	if (reading->counts[tag->closes] == 0) {
		blocks_add(reading, tag, true);
		return not_opened[tag->closes];
	}
	if (blocks_innermost(reading)->kind != tag->closes && reading->strict)
		return not_opened[tag->closes];
	while (blocks_innermost(reading)->kind != tag->closes)
		blocks_drop(reading);
	guint32 number = blocks_add(reading, tag, false);
	tag_at(reading, blocks_innermost(reading)->last)->next = number;
	reading->counts[tag->closes]--;
	g_array_set_size(reading->open, reading->open->len - 1);
	return NULL;
}

/* Takes the next tag. NULL, or its fault. */
static const char *
blocks_take(struct reading *reading, const struct template_tag *tag)
{
	switch (tag->kind) {
	case TAG_IF:
	case TAG_UNLESS:
	case TAG_EACH:
		return blocks_read_open(reading, tag);
	case TAG_ELSE:
	case TAG_ELSE_IF:
		return read_else(reading, tag);
	case TAG_CLOSE:
		return blocks_read_close(reading, tag);
	case TAG_FILTER:
		if (reading->zones && tag->filter.kind == FILTER_DATE &&
		    !template_date_zone(reading->zones, tag->filter.zone))
			return "zone must be an IANA time zone";
		break;
	case TAG_VALUE:
	case TAG_COMMENT:
	case TAG_PARTIAL:
	case TAG_TEXT:
		break;
	}
	return NULL;
}

static bool
read_strictly(struct reading *reading, GError **error)
{
	const char *from = reading->source, *p;
	struct template_tag tag;

	for (; (p = template_tag_braces(from, reading->scanner.end)); from = tag.end) {
		const char *fault = template_tag_take(&reading->scanner, from, p, &tag);
		if (!fault)
			fault = blocks_take(reading, &tag);
		if (fault)
			return template_blocks_fault(reading->source, p, fault, error);
	}
	const struct open *open = blocks_innermost(reading);
	return !open || template_blocks_fault(reading->source,
			    reading->source + tag_at(reading, open->first)->at,
			    not_closed[open->kind], error);
}

static void
read_leniently(struct reading *reading)
{
	const char *p = reading->source;
	struct template_tag tag;

	while (template_tag_find(&reading->scanner, p, &tag)) {
		blocks_take(reading, &tag);
		p = tag.end;
	}
	while (blocks_innermost(reading))
		blocks_drop(reading);
}

static void
blocks_read_again(const struct reading *reading, guint32 number, struct template_tag *tag_r)
{
	struct template_scanner scanner = {.end = reading->scanner.end};

	template_tag_read(&scanner, reading->source + tag_at(reading, number)->at, tag_r);
}

static void
take_before(const struct reading *reading, guint32 number, enum template_space space)
{
	struct template_block_tag *tag = tag_at(reading, number);

	tag->before = MAX(tag->before, space);
}

static void
take_behind(const struct reading *reading, guint32 number, enum template_space space)
{
	struct template_block_tag *tag = tag_at(reading, number);

	tag->behind = MAX(tag->behind, space);
}

/* White space at the first tag of a block, and at the last one if it is that of the whole block.
   Handlebars sees what stands in front of the last tag at the end of the second part, and leaves
   that white space where there is an "else if". */
static void
set_outer(const struct reading *reading, guint32 first)
{
	const char *source = reading->source, *end = reading->scanner.end;
	guint32 second = tag_at(reading, first)->next, last = second;
	struct template_tag opening, middle, third, closing;

	while (tag_at(reading, last)->next != last)
		last = tag_at(reading, last)->next;
	blocks_read_again(reading, first, &opening);
	blocks_read_again(reading, second, &middle);
	blocks_read_again(reading, tag_at(reading, second)->next, &third);
	blocks_read_again(reading, last, &closing);
	if (opening.strip_before)
		take_before(reading, first, SPACE_ALL);
	if (closing.strip_after)
		take_behind(reading, last, SPACE_ALL);
	if (template_space_before(&opening.start, source) &&
	    template_space_behind(&opening.end, end)) {
		take_before(reading, first, SPACE_LINE);
		take_behind(reading, first, SPACE_LINE);
	}
	if (!template_space_before(&third.start, source) ||
	    !template_space_behind(&closing.end, end))
		return;
	take_behind(reading, last, SPACE_LINE);
	if (middle.kind != TAG_ELSE_IF)
		take_before(reading, last, SPACE_LINE);
}

/* White space at the tag behind a part of a block. strips: as of the tag that Handlebars takes for
   the one that closes the part: the last one for the first two parts, else the one that opens it.
 */
static void
set_inner(
    const struct reading *reading, guint32 number, const struct template_tag *opening, bool strips)
{
	guint32 next = tag_at(reading, number)->next;
	struct template_tag tag;

	blocks_read_again(reading, next, &tag);
	if (opening->strip_after)
		take_behind(reading, number, SPACE_ALL);
	if (tag.kind == TAG_CLOSE) {
		if (strips)
			take_before(reading, next, SPACE_ALL);
		return;
	}
	if (tag.strip_before)
		take_before(reading, next, SPACE_ALL);
	if (tag.strip_after)
		take_behind(reading, next, SPACE_ALL);
	if (strips)
		take_before(reading, tag_at(reading, next)->next, SPACE_ALL);
	if (template_space_before(&tag.start, reading->source) &&
	    template_space_behind(&tag.end, reading->scanner.end)) {
		take_before(reading, next, SPACE_LINE);
		take_behind(reading, next, SPACE_LINE);
	}
}

/* White space at all tags of a block: as Handlebars 4.7 has it, for which "else if" is a block in
   the else part. */
static void
set_spaces(const struct reading *reading, guint32 first)
{
	guint32 last = first, part = 0;
	struct template_tag closing, tag;

	set_outer(reading, first);
	while (tag_at(reading, last)->next != last)
		last = tag_at(reading, last)->next;
	blocks_read_again(reading, last, &closing);
	for (guint32 i = first; i != last; i = tag_at(reading, i)->next, part++) {
		blocks_read_again(reading, i, &tag);
		if (tag.kind != TAG_ELSE)
			set_inner(
			    reading, i, &tag, part < 2 ? closing.strip_before : tag.strip_before);
	}
}

/* Sets the white space of all blocks. INVALID when they are too deep. */
static bool
blocks_finish(const struct reading *reading, GError **error)
{
	guint depth = 0;
	struct template_tag tag;

	for (guint32 i = 0; i < reading->tags->len; i++) {
		if (tag_at(reading, i)->is_literal)
			continue;
		blocks_read_again(reading, i, &tag);
		if (tag.kind == TAG_CLOSE)
			depth--;
		if (tag.kind < TAG_IF || tag.kind > TAG_EACH)
			continue;
		if (++depth > LIMIT_TEMPLATE_BLOCKS)
			return template_blocks_fault(reading->source, tag.start, too_deep, error);
		set_spaces(reading, i);
	}
	return true;
}

GArray *
template_blocks_read(const char *source, gsize size, bool strict, GError **error)
{
	g_autoptr(GArray) tags = g_array_new(FALSE, FALSE, sizeof(struct template_block_tag));
	g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(struct open));
	g_autoptr(GHashTable) zones = strict ? template_date_zones_new() : NULL;
	struct reading reading = {.source = source,
	    .scanner = {.end = source + size},
	    .tags = tags,
	    .open = open,
	    .zones = zones,
	    .strict = strict};

	if (size > TEMPLATE_BLOCKS_BYTES) {
		base_fail(error, PH_ERROR_TOO_LARGE, "it is larger than 64 MB");
		return NULL;
	}
	if (strict && !read_strictly(&reading, error))
		return NULL;
	if (!strict)
		read_leniently(&reading);
	return blocks_finish(&reading, error) ? g_steal_pointer(&tags) : NULL;
}
