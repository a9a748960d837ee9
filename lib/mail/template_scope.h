/* SPDX-License-Identifier: MIT */
/* For template_render.c: the open blocks and included templates, and the values that a path finds
   in them. The meaning follows Handlebars. */
#ifndef MAIL_TEMPLATE_SCOPE_H
#define MAIL_TEMPLATE_SCOPE_H

#include <glib.h>
#include <stdbool.h>

#include "mail/template_tag.h"
#include "mail/template_value.h"

#define TEMPLATE_SCOPE_NONE G_MAXUINT

enum mail_template_frame_kind { FRAME_BASE, FRAME_BLOCK, FRAME_EACH, FRAME_PARTIAL };

/* An open block, or an included template. */
struct mail_template_frame {
	enum mail_template_frame_kind kind;
	guint level, data, blocks; /* as they were before */
	guint part;		   /* of FRAME_PARTIAL: where it goes on */
	const char *back;
	guint32 back_next;

	struct mail_template_value value; /* the context that it brings */
	guint parent;			  /* the frame whose context is around it, or NONE */
	guint inside;			  /* open blocks in it, without those in a block of it */

	struct mail_template_value list; /* of FRAME_EACH */
	gsize index;
	const char *key;
	guint32 tag;
	const char *body;
};

struct mail_template_scope {
	const struct mail_template_values *values;
	GArray *frames;
	guint level, data, blocks; /* frames of the context and of @index; number of open blocks */
	struct mail_template_measures measures;
};

/* Begins with one frame: all variables. The caller clears the scope. */
void mail_template_scope_init(
    struct mail_template_scope *scope, const struct mail_template_values *values);
void mail_template_scope_clear(struct mail_template_scope *scope);

/* The innermost frame. It moves when a frame is pushed. */
struct mail_template_frame *mail_template_scope_top(const struct mail_template_scope *scope);

/* Opens a frame and returns it. A FRAME_EACH gets its context by mail_template_scope_turn. */
struct mail_template_frame *mail_template_scope_push(
    struct mail_template_scope *scope, enum mail_template_frame_kind kind);

/* Opens a FRAME_PARTIAL and returns it. Its context is the one around it; that of a layout's body
   is all variables, as if no block was open. */
struct mail_template_frame *mail_template_scope_push_part(
    struct mail_template_scope *scope, bool is_body);

/* Closes the innermost frame. */
void mail_template_scope_pop(struct mail_template_scope *scope);

/* Makes the element at the index of the innermost frame, a FRAME_EACH, the context. */
void mail_template_scope_turn(struct mail_template_scope *scope);

/* The value at a path. is_old: "this" and ".." can be names of variables. It may point into the
   scope until the next call. */
struct mail_template_value mail_template_scope_find(
    struct mail_template_scope *scope, const struct mail_template_path *path, bool is_old);

#endif
