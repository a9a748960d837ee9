/* SPDX-License-Identifier: MIT */
/* Fills templates. A tag's meaning is looked up when it is reached, so that a template needs no
   memory but 8 bytes for each tag of a block, and a stack of bounded depth. */
#include <string.h>

#include "base/budget.h"
#include "base/error.h"
#include "template/blocks.h"
#include "template/date.h"
#include "template/filter.h"
#include "template/out.h"
#include "template/part.h"
#include "template/scope.h"
#include "template/space.h"
#include "template/tag.h"
#include "template/template.h"
#include "template/value.h"

#define NONE TEMPLATE_SCOPE_NONE
#define FILTER_STEPS 20 /* that a filter counts for */

/* A template, or one that it includes. */
struct part {
	struct template_part text;
	GArray *tags; /* of struct template_block_tag; NULL: not read yet */
};

struct renderer {
	const char *name;
	enum template_kind kind;
	GArray *parts; /* of struct part */
	guint layouts; /* parts at the beginning that are layouts of the next one */
	GString *out;
	GString *filtered; /* NULL: none yet */
	GHashTable *zones; /* NULL: none yet */
	struct template_scope scope;
	struct template_scanner scanner;
	guint part; /* number of the part, where it is, and its next tag of a block */
	const char *p;
	guint32 next;
	const char *section; /* where the part of a block that was entered last begins */
	guint partials;
	gint64 turns;
	struct base_budget budget;
	gsize given; /* bytes of the source and of the values */
	GError *error;
};

static struct part *
this_part(const struct renderer *r)
{
	return &g_array_index(r->parts, struct part, r->part);
}

static struct template_block_tag *
block_tag(const struct renderer *r, guint32 number)
{
	return &g_array_index(this_part(r)->tags, struct template_block_tag, number);
}

static void
render_fail(struct renderer *r, const char *text)
{
	if (!r->error)
		base_invalid(&r->error, "%s %s", r->name, text);
}

/* Counts steps, and those of the measures. */
static void
render_count(struct renderer *r, gint64 steps)
{
	bool in_time =
	    base_budget_take(&r->budget, steps + r->scope.measures.steps, r->given + r->out->len);

	r->scope.measures.steps = 0;
	if (!in_time || r->budget.steps > LIMIT_TEMPLATE_STEPS || r->turns > LIMIT_TEMPLATE_TURNS)
		render_fail(r, "takes too long to render");
}

/* Counts the bytes between two places. */
static void
count_bytes(struct renderer *r, const char *from, const char *to)
{
	render_count(r, (to - from) / 64);
}

static const char *
cut_space_behind(struct renderer *r, const char *p, enum template_space space)
{
	const char *behind = template_space_cut_behind(p, r->scanner.end, space);

	count_bytes(r, p, behind);
	return behind;
}

/* Goes on behind a tag of a block. */
static void
go_behind(struct renderer *r, guint32 number, const char *tag_end)
{
	r->p = cut_space_behind(r, tag_end, block_tag(r, number)->behind);
	r->next = number + 1;
}

static void
read_block_tag(struct renderer *r, guint32 number, struct template_tag *tag_r)
{
	template_tag_read(&r->scanner, this_part(r)->text.source + block_tag(r, number)->at, tag_r);
	render_count(r, 1 + (tag_r->end - tag_r->start) / 64);
}

static void
begin_block(struct renderer *r)
{
	template_scope_push(&r->scope, FRAME_BLOCK);
	r->scope.blocks++;
}

/* Goes on behind the last tag of the block that has this tag. */
static void
render_leave(struct renderer *r, guint32 number)
{
	struct template_tag tag;

	while (block_tag(r, number)->next != number) {
		number = block_tag(r, number)->next;
		render_count(r, 1);
	}
	read_block_tag(r, number, &tag);
	go_behind(r, number, tag.end);
}

/* Goes on in the part behind this tag of a block if it is the one to show, else in a later one or
   behind the block. */
static void
render_choose(struct renderer *r, guint32 number)
{
	struct template_tag tag;

	begin_block(r);
	do {
		number = block_tag(r, number)->next;
		read_block_tag(r, number, &tag);
		if (tag.kind == TAG_ELSE)
			break;
		if (tag.kind == TAG_ELSE_IF) {
			struct template_value value =
			    template_scope_find(&r->scope, &tag.path, false);
			if (template_value_holds(&value, &r->scope.measures))
				break;
		}
	} while (tag.kind != TAG_CLOSE && !r->error);
	if (tag.kind == TAG_CLOSE)
		template_scope_pop(&r->scope);
	go_behind(r, number, tag.end);
	r->section = tag.kind == TAG_CLOSE ? NULL : tag.end;
}

/* Begins a turn of the innermost frame. */
static void
begin_turn(struct renderer *r)
{
	const struct template_frame *each = template_scope_top(&r->scope);

	template_scope_turn(&r->scope);
	r->turns++;
	render_count(r, 1);
	go_behind(r, each->tag, each->body);
	r->section = each->body;
}

static void
begin_each(struct renderer *r, guint32 number, const struct template_tag *tag)
{
	struct template_value list = template_scope_find(&r->scope, &tag->path, false);

	if (list.kind < VALUE_ARRAY || list.count == 0) {
		render_choose(r, number);
		return;
	}
	struct template_frame *each = template_scope_push(&r->scope, FRAME_EACH);
	each->list = list;
	each->tag = number;
	each->body = tag->end;
	each->inside = ++r->scope.blocks;
	begin_turn(r);
}

static void
render_begin(struct renderer *r, guint32 number, const struct template_tag *tag)
{
	if (tag->kind == TAG_EACH) {
		begin_each(r, number, tag);
		return;
	}
	struct template_value value = template_scope_find(&r->scope, &tag->path, false);
	if (template_value_holds(&value, &r->scope.measures) != (tag->kind == TAG_IF)) {
		render_choose(r, number);
		return;
	}
	begin_block(r);
	go_behind(r, number, tag->end);
	r->section = tag->end;
}

/* Ends the part of a block in front of this tag. */
static void
render_end(struct renderer *r, guint32 number)
{
	struct template_frame *frame = template_scope_top(&r->scope);

	if (frame->kind == FRAME_EACH && ++frame->index < frame->list.count) {
		begin_turn(r);
		return;
	}
	template_scope_pop(&r->scope);
	render_leave(r, number);
}

/* Goes on with a part; where it ends, with what stands behind a tag. */
static void
include(struct renderer *r, guint part, const char *back, bool is_body)
{
	struct template_frame *frame = template_scope_push_part(&r->scope, is_body);

	frame->part = r->part;
	frame->back = back;
	frame->back_next = r->next;
	r->part = part;
	r->p = this_part(r)->text.source;
	r->next = 0;
	r->scanner = (struct template_scanner){.end = this_part(r)->text.end};
	if (++r->partials > LIMIT_TEMPLATE_PARTIALS + r->layouts)
		render_fail(r, "includes templates more than 8 deep");
}

G_STATIC_ASSERT(LIMIT_TEMPLATE_PARTIALS == 8);

/* Goes on behind the tag that included the part. Returns false when none did. */
static bool
go_back(struct renderer *r)
{
	const struct template_frame *frame = template_scope_top(&r->scope);

	if (frame->kind != FRAME_PARTIAL)
		return false;
	r->part = frame->part;
	r->p = frame->back;
	r->next = frame->back_next;
	r->scanner = (struct template_scanner){.end = this_part(r)->text.end};
	r->partials--;
	template_scope_pop(&r->scope);
	return true;
}

/* The number of an included part, or NONE. */
static guint
render_find_part(struct renderer *r, const char *id)
{
	render_count(r, r->parts->len / 8);
	for (guint i = r->layouts + 1; i < r->parts->len; i++)
		if (strcmp(g_array_index(r->parts, struct part, i).text.id, id) == 0)
			return i;
	return NONE;
}

/* Appends the text in front of a tag. */
static void
render_append_text(struct renderer *r, const char *to, enum template_space space)
{
	if (space != SPACE_NONE)
		to = template_space_cut_before(to, r->p, space);
	g_string_append_len(r->out, r->p, to - r->p);
}

/* Leaves a tag as it is written. */
static void
render_keep(struct renderer *r, const struct template_tag *tag)
{
	render_append_text(r, tag->end, SPACE_NONE);
	r->p = tag->end;
}

/* The zone of a filter; NULL: there is none. */
static GTimeZone *
render_find_zone(struct renderer *r, const struct template_filter *filter)
{
	if (!r->zones)
		r->zones = template_date_zones_new();
	return template_date_zone(r->zones, filter->zone);
}

/* The result of a filter; lives until the next call. */
static const char *
filter_value(
    struct renderer *r, const struct template_filter *filter, const struct template_value *value)
{
	if (!r->filtered)
		r->filtered = g_string_new(NULL);
	g_string_truncate(r->filtered, 0);
	template_filter_append(filter,
	    filter->kind == FILTER_DATE ? render_find_zone(r, filter) : NULL, value, r->filtered);
	render_count(r, FILTER_STEPS);
	return r->filtered->str;
}

static void
render_show(struct renderer *r, const struct template_tag *tag)
{
	gsize written = r->out->len;
	bool is_old = tag->kind != TAG_FILTER && r->scope.blocks == 0;
	struct template_value value = template_scope_find(&r->scope, &tag->path, is_old);
	const char *text = tag->kind == TAG_FILTER ? filter_value(r, &tag->filter, &value)
						   : template_value_text(&value);

	render_append_text(r, tag->start, tag->strip_before ? SPACE_ALL : SPACE_NONE);
	template_out_append(r->out, tag, r->kind, text);
	render_count(r, (gint64)(r->out->len - written) / 64);
	r->p = cut_space_behind(r, tag->end, tag->strip_after ? SPACE_ALL : SPACE_NONE);
}

/* Whether nothing but white space stands beside the tag on its line. */
static bool
is_alone(struct renderer *r, const struct template_tag *tag)
{
	const char *before = tag->start, *behind = tag->end;
	bool is_first = template_space_before(&before, this_part(r)->text.source);
	bool is_last = is_first && template_space_behind(&behind, r->scanner.end);

	count_bytes(r, before, tag->start);
	count_bytes(r, tag->end, behind);
	return is_last;
}

static const char *
cut_behind(struct renderer *r, const struct template_tag *tag)
{
	return cut_space_behind(r, tag->end,
	    tag->strip_after   ? SPACE_ALL
	    : is_alone(r, tag) ? SPACE_LINE
			       : SPACE_NONE);
}

static void
skip_comment(struct renderer *r, const struct template_tag *tag)
{
	render_append_text(r, tag->start,
	    tag->strip_before  ? SPACE_ALL
	    : is_alone(r, tag) ? SPACE_LINE
			       : SPACE_NONE);
	r->p = cut_behind(r, tag);
}

/* A line with nothing but the tag keeps its blanks: they are the indent of the first line. It keeps
   them also where the tag of the block in front of it takes white space away. */
static void
append_indent(struct renderer *r, const struct template_tag *tag)
{
	const char *indent =
	    template_space_cut_before(tag->start, this_part(r)->text.source, SPACE_LINE);

	count_bytes(r, indent, tag->start);
	if (is_alone(r, tag) && r->p > indent && r->section && r->section <= indent &&
	    template_space_cut_behind(r->section, tag->start, SPACE_ALL) == tag->start)
		r->p = indent;
	render_append_text(r, tag->start, SPACE_NONE);
}

static void
include_partial(struct renderer *r, const struct template_tag *tag)
{
	guint part = render_find_part(r, tag->path.name);

	if (part == NONE) {
		render_keep(r, tag);
		return;
	}
	if (tag->strip_before)
		render_append_text(r, tag->start, SPACE_ALL);
	else
		append_indent(r, tag);
	include(r, part, cut_behind(r, tag), false);
}

static bool
has_zone(struct renderer *r, const struct template_tag *tag)
{
	return tag->kind != TAG_FILTER || tag->filter.kind != FILTER_DATE ||
	       render_find_zone(r, &tag->filter);
}

/* Reads the blocks of the part when it is asked for the first of its tags. */
static bool
knows_blocks(struct renderer *r)
{
	struct part *part = this_part(r);
	gsize size = part->text.end - part->text.source;

	if (!part->tags && !r->error) {
		part->tags = template_blocks_read(part->text.source, size, false, &r->error);
		if (!part->tags)
			g_prefix_error(&r->error, "%s: ", r->name);
	}
	return part->tags;
}

/* A tag that may be one of a block. */
static void
run_block_tag(struct renderer *r, const struct template_tag *tag)
{
	guint32 number = r->next;
	bool is_else = tag->kind == TAG_ELSE;

	/* The first tag of a source that can open a block makes the blocks known. */
	if (is_else && !this_part(r)->tags) {
		render_show(r, tag);
		return;
	}
	if (!knows_blocks(r))
		return;
	bool is_known = number < this_part(r)->tags->len &&
			this_part(r)->text.source + block_tag(r, number)->at == tag->start;
	if (is_known)
		r->next++;
	if (!is_known || block_tag(r, number)->is_literal) {
		(is_else ? render_show : render_keep)(r, tag);
		return;
	}
	render_append_text(r, tag->start, block_tag(r, number)->before);
	if (tag->kind >= TAG_IF && tag->kind <= TAG_EACH)
		render_begin(r, number, tag);
	else
		render_end(r, number);
}

static void
render_run(struct renderer *r, const struct template_tag *tag)
{
	switch (tag->kind) {
	case TAG_COMMENT:
		skip_comment(r, tag);
		break;
	case TAG_PARTIAL:
		include_partial(r, tag);
		break;
	case TAG_TEXT:
		render_append_text(r, tag->start, SPACE_NONE);
		g_string_append_len(r->out, tag->fallback, (gssize)tag->fallback_size);
		r->p = tag->end;
		break;
	case TAG_VALUE:
	case TAG_FILTER:
		if (r->part < r->layouts && template_tag_is_body(tag)) {
			render_append_text(
			    r, tag->start, tag->strip_before ? SPACE_ALL : SPACE_NONE);
			include(r, r->part + 1,
			    cut_space_behind(
				r, tag->end, tag->strip_after ? SPACE_ALL : SPACE_NONE),
			    true);
		} else {
			(has_zone(r, tag) ? render_show : render_keep)(r, tag);
		}
		break;
	case TAG_IF:
	case TAG_UNLESS:
	case TAG_EACH:
	case TAG_ELSE:
	case TAG_ELSE_IF:
	case TAG_CLOSE:
		run_block_tag(r, tag);
		break;
	}
}

static void
run_all(struct renderer *r)
{
	struct template_tag tag;

	do {
		while (!r->error && r->out->len <= LIMIT_RENDERED_BYTES &&
		       template_tag_find(&r->scanner, r->p, &tag)) {
			render_count(r, 1 + (tag.end - r->p) / 64);
			render_run(r, &tag);
		}
		render_append_text(r, r->scanner.end, SPACE_NONE);
	} while (!r->error && r->out->len <= LIMIT_RENDERED_BYTES && go_back(r));
}

static void
render_clear_part(void *data)
{
	struct part *part = data;

	g_clear_pointer(&part->tags, g_array_unref);
}

/* Reads the parts of a source. */
static void
render_read_parts(struct renderer *r, const char *source, gsize size)
{
	struct part part = {{"", source, source + size}, NULL};
	const char *next = source;

	while (template_part_next(&next, source + size, &part.text))
		g_array_append_val(r->parts, part);
	if (r->parts->len == 0)
		g_array_append_val(r->parts, part);
	while (r->layouts + 1 < r->parts->len &&
	       !*g_array_index(r->parts, struct part, r->layouts + 1).text.id)
		r->layouts++;
}

char *
template_render(const struct template_source *source, const struct template_values *values,
    gsize *size_r, GError **error)
{
	g_autoptr(GArray) parts = g_array_new(FALSE, FALSE, sizeof(struct part));
	struct renderer r = {.name = source->part,
	    .kind = source->kind,
	    .parts = parts,
	    .out = g_string_sized_new(source->size),
	    .given = source->size + values->bytes};

	g_array_set_clear_func(parts, render_clear_part);
	render_read_parts(&r, source->text, source->size);
	template_scope_init(&r.scope, values);
	r.p = this_part(&r)->text.source;
	r.scanner.end = this_part(&r)->text.end;
	run_all(&r);
	template_scope_clear(&r.scope);
	g_clear_pointer(&r.zones, g_hash_table_unref);
	if (r.filtered)
		g_string_free(r.filtered, TRUE);
	if (r.error) {
		g_string_free(r.out, TRUE);
		g_propagate_error(error, r.error);
		return NULL;
	}
	char *text = template_out_end(r.out, size_r, error);
	if (!text)
		g_prefix_error(error, "%s: ", source->part);
	return text;
}
