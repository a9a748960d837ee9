/* SPDX-License-Identifier: MIT */
/* The images of an html body. */
#ifndef MAIL_IMAGES_H
#define MAIL_IMAGES_H

#include <glib.h>

/* The number of images without an attribute alt, which may be empty. */
guint mail_images_without_alt(const char *source, gsize size);

#endif
