/* SPDX-License-Identifier: MIT */
/* Variables of broadcasts that nobody has. */
#ifndef BROADCAST_UNKNOWN_H
#define BROADCAST_UNKNOWN_H

#include <glib.h>

#include "broadcast/content.h"

struct base_id;
struct service;

/* Names the variables in subject, html and text of a content that have no fallback and that no
   person has: they are no fields of people, no defined properties, and no properties of the newest
   people. In the order of the alphabet, as an array of sentences "{{X}} has no value", those of a
   check. The caller owns it. Errors of db/statement.h. */
GPtrArray *broadcast_unknown(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, GError **error);

/* The same of the sources of variants (struct broadcast_source); a default of a template is a
   value, too. */
GPtrArray *broadcast_unknown_in(struct service *service, const struct base_id *workspace,
    const GPtrArray *sources, GError **error);

#endif
