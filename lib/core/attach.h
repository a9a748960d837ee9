/* SPDX-License-Identifier: MIT */
#ifndef CORE_ATTACH_H
#define CORE_ATTACH_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct store_email;
struct core_submission;

/* Checks all attachments of a submission and decodes those that bring their content: an array of
   GBytes in their order, NULL for those that are given by URL. INVALID, naming the field. The
   caller frees it. */
GPtrArray *core_attach_decode(const struct core_submission *submission, GError **error);

/* Gets those that are given by URL, and adds all of them to the email. Errors as above. */
bool core_attach_add(struct core *core, const struct core_submission *submission,
    GPtrArray *contents, struct store_email *email, GError **error);

#endif
