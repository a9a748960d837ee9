/* SPDX-License-Identifier: MIT */
/* The images of an html body. */
#ifndef HTML_IMAGES_H
#define HTML_IMAGES_H

#include <glib.h>

/* The number of images without an attribute alt, which may be empty. */
guint html_images_without_alt(const char *source, gsize size);

#endif
