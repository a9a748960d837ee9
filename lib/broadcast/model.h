/* SPDX-License-Identifier: MIT */
/* The emails of a variant. */
#ifndef BROADCAST_MODEL_H
#define BROADCAST_MODEL_H

#include "broadcast/content.h"

struct base_id;
struct service;
struct email_draft;
struct store_email;

/* Makes the model of a variant: its email as it is when the broadcast is sent, unfilled and without
   recipients; checked as an email is. INVALID, naming the field; FORBIDDEN as email_draft_new. The
   caller frees it. */
struct store_email *broadcast_model_new(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, guint number, GError **error);

/* Makes the same, unfilled, to these addresses, NULL-terminated. */
struct email_draft *broadcast_model_draft(struct service *service, const struct base_id *workspace,
    const struct broadcast_content *content, guint number, const char **to, GError **error);

#endif
