/* SPDX-License-Identifier: MIT */
/* Looks at the images of an html body, tag by tag. */
#include "html/images.h"

#include "html/tags.h"

guint
html_images_without_alt(const char *source, gsize size)
{
	struct html_tags tags;
	enum html_token token;
	guint count = 0;

	html_tags_init(&tags, source, size);
	while ((token = html_tags_next(&tags)) != HTML_TOKEN_END)
		count +=
		    token == HTML_TOKEN_OPEN && tags.tag.name == GUMBO_TAG_IMG && !tags.tag.alt;
	html_tags_clear(&tags);
	return count;
}
