/* SPDX-License-Identifier: MIT */
/* The model of a variant: its email, as it was when the broadcast was sent, without recipients. */
#ifndef BROADCAST_MODEL_H
#define BROADCAST_MODEL_H

#include "broadcast/content.h"

struct base_id;
struct core;
struct store_email;

/* Makes the model of a variant, checked as an email is. INVALID, naming the field; FORBIDDEN as
   core_draft_new. The caller frees it. */
struct store_email *broadcast_model_new(struct core *core, const struct base_id *workspace,
    const struct broadcast_content *content, guint number, GError **error);

#endif
