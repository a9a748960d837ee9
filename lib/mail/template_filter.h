/* SPDX-License-Identifier: MIT */
/* For template*.c: the filters upper, default, number and date. */
#ifndef MAIL_TEMPLATE_FILTER_H
#define MAIL_TEMPLATE_FILTER_H

#include <glib.h>
#include <stdbool.h>

#include "mail/template_tag.h"

struct mail_template_value;

/* Whether there is a filter of this name. */
bool template_filter_named(const char *name, enum template_filter_kind *kind_r);

/* Reads what stands behind the path of a filter, from *p to the end of the tag. filter->kind is
   set. NULL, or its fault. */
const char *template_filter_read(const char **p, const char *end, struct template_filter *filter);

/* Appends the result; a value that the filter does not take as it is. zone: that of date. */
void template_filter_append(const struct template_filter *filter, GTimeZone *zone,
    const struct mail_template_value *value, GString *out);

#endif
