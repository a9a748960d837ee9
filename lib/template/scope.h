/* SPDX-License-Identifier: MIT */
/* For template_render.c: the open blocks and included templates, and the values that a path finds
   in them. The meaning follows Handlebars. */
#ifndef TEMPLATE_SCOPE_H
#define TEMPLATE_SCOPE_H

#include <glib.h>
#include <stdbool.h>

#include "template/tag.h"
#include "template/value.h"

#define TEMPLATE_SCOPE_NONE G_MAXUINT

enum template_frame_kind { FRAME_BASE, FRAME_BLOCK, FRAME_EACH, FRAME_PARTIAL };

/* An open block, or an included template. */
struct template_frame {
	enum template_frame_kind kind;
	guint level, data, blocks; /* as they were before */
	guint part;		   /* of FRAME_PARTIAL: where it goes on */
	const char *back;
	guint32 back_next;

	struct template_value value; /* the context that it brings */
	guint parent;		     /* the frame whose context is around it, or NONE */
	guint inside;		     /* open blocks in it, without those in a block of it */

	struct template_value list; /* of FRAME_EACH */
	gsize index;
	const char *key;
	guint32 tag;
	const char *body;
};

struct template_scope {
	const struct template_values *values;
	GArray *frames;
	guint level, data, blocks; /* frames of the context and of @index; number of open blocks */
	struct template_measures measures;
};

/* Begins with one frame: all variables. The caller clears the scope. */
void template_scope_init(struct template_scope *scope, const struct template_values *values);
void template_scope_clear(struct template_scope *scope);

/* The innermost frame. It moves when a frame is pushed. */
struct template_frame *template_scope_top(const struct template_scope *scope);

/* Opens a frame and returns it. A FRAME_EACH gets its context by template_scope_turn. The scope
   owns it. */
struct template_frame *template_scope_push(
    struct template_scope *scope, enum template_frame_kind kind);

/* Opens a FRAME_PARTIAL and returns it. Its context is the one around it; that of a layout's body
   is all variables, as if no block was open. */
struct template_frame *template_scope_push_part(struct template_scope *scope, bool is_body);

/* Closes the innermost frame. */
void template_scope_pop(struct template_scope *scope);

/* Makes the element at the index of the innermost frame, a FRAME_EACH, the context. */
void template_scope_turn(struct template_scope *scope);

/* The value at a path. is_old: "this" and ".." can be names of variables. It may point into the
   scope until the next call. */
struct template_value template_scope_find(
    struct template_scope *scope, const struct template_path *path, bool is_old);

#endif
