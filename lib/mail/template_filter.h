/* SPDX-License-Identifier: MIT */
/* For template*.c: the filters upper, url, default, number and date. */
#ifndef MAIL_TEMPLATE_FILTER_H
#define MAIL_TEMPLATE_FILTER_H

#include <glib.h>
#include <stdbool.h>

#include "base/limits.h"
#include "mail/template_date.h"

enum mail_template_filter_kind {
	FILTER_UPPER,
	FILTER_URL,
	FILTER_DEFAULT,
	FILTER_NUMBER,
	FILTER_DATE
};

struct mail_template_filter {
	enum mail_template_filter_kind kind;
	const char *text; /* of default, and the format of date: a part of the source */
	gsize size;
	int decimals; /* -1: not given */
	enum mail_template_language language;
	char zone[LIMIT_TIME_ZONE_BYTES + 1]; /* "": UTC */
};

struct mail_template_value;

/* Whether there is a filter of this name. */
bool mail_template_filter_named(const char *name, enum mail_template_filter_kind *kind_r);

/* Reads what stands behind the path of a filter, from *p to the end of the tag. filter->kind is
   set. NULL, or its fault. */
const char *mail_template_filter_read(
    const char **p, const char *end, struct mail_template_filter *filter);

/* Appends the result; a value that the filter does not take as it is. zone: that of date. */
void mail_template_filter_append(const struct mail_template_filter *filter, GTimeZone *zone,
    const struct mail_template_value *value, GString *out);

#endif
