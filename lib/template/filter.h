/* SPDX-License-Identifier: MIT */
/* For template*.c: the filters upper, url, default, number and date. */
#ifndef TEMPLATE_FILTER_H
#define TEMPLATE_FILTER_H

#include <glib.h>
#include <stdbool.h>

#include "base/limits/email.h"
#include "template/date.h"

enum template_filter_kind { FILTER_UPPER, FILTER_URL, FILTER_DEFAULT, FILTER_NUMBER, FILTER_DATE };

struct template_filter {
	enum template_filter_kind kind;
	const char *text; /* of default, and the format of date: a part of the source */
	gsize size;
	int decimals; /* -1: not given */
	enum template_language language;
	char zone[LIMIT_TIME_ZONE_BYTES + 1]; /* "": UTC */
};

struct template_value;

/* Whether there is a filter of this name. */
bool template_filter_named(const char *name, enum template_filter_kind *kind_r);

/* Reads what stands behind the path of a filter, from *p to the end of the tag. filter->kind is
   set. NULL, or its fault. */
const char *template_filter_read(const char **p, const char *end, struct template_filter *filter);

/* Appends the result; a value that the filter does not take as it is. zone: that of date. */
void template_filter_append(const struct template_filter *filter, GTimeZone *zone,
    const struct template_value *value, GString *out);

#endif
