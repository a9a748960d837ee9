/* SPDX-License-Identifier: MIT */
/* What a tag means for the text that is made of an html document. */
#ifndef MAIL_MEANING_H
#define MAIL_MEANING_H

#include <gumbo.h>
#include <stdbool.h>

struct mail_flow;
struct mail_tag;

/* Is the element of this tag left out, with all in it? Scripts and the like, and what is hidden by
   an attribute or display:none. */
bool mail_meaning_skips(const struct mail_tag *tag);

/* Writes what stands at the begin and at the end of the element. */
void mail_meaning_open(struct mail_flow *flow, const struct mail_tag *tag);
void mail_meaning_close(struct mail_flow *flow, GumboTag name);

#endif
