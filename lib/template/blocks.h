/* SPDX-License-Identifier: MIT */
/* For template*.c: which tags of a source form blocks. */
#ifndef TEMPLATE_BLOCKS_H
#define TEMPLATE_BLOCKS_H

#include <glib.h>
#include <stdbool.h>

#include "template/tag.h"

/* A tag of a block. It takes 8 bytes, because a source may have millions. */
struct template_block_tag {
	guint32 at : 26;    /* where it begins in the source */
	guint32 before : 2; /* enum template_space: the white space that it takes away */
	guint32 behind : 2;
	guint32 is_literal : 1; /* the tag forms no block: its block is not closed, or not opened */
	guint32 next;		/* number of the block's next tag; of the last one its own */
};

/* The largest source. */
#define TEMPLATE_BLOCKS_BYTES ((1U << 26) - 1)

/* The tags of blocks, in order. INVALID when blocks are more than LIMIT_TEMPLATE_BLOCKS deep, with
   the line; TOO_LARGE. If strict, also INVALID for a block that is not closed and so on, and for a
   tag that is none; else such tags are literal. The caller frees the array. */
GArray *template_blocks_read(const char *source, gsize size, bool strict, GError **error);

/* Sets INVALID: "line 3: fault". p is a place in the source. */
bool template_blocks_fault(const char *source, const char *p, const char *fault, GError **error);

#endif
