/* SPDX-License-Identifier: MIT */
/* Looks at the images of an html body, tag by tag. */
#include "mail/images.h"

#include "mail/tags.h"

guint
mail_images_without_alt(const char *source, gsize size)
{
	struct mail_tags tags;
	enum mail_token token;
	guint count = 0;

	mail_tags_init(&tags, source, size);
	while ((token = mail_tags_next(&tags)) != MAIL_TOKEN_END)
		count +=
		    token == MAIL_TOKEN_OPEN && tags.tag.name == GUMBO_TAG_IMG && !tags.tag.alt;
	mail_tags_clear(&tags);
	return count;
}
