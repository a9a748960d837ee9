/* SPDX-License-Identifier: MIT */
/* The content of a draft (email/draft.h): variables, subject, html, text, headers, tags. */
#ifndef EMAIL_DRAFT_CONTENT_H
#define EMAIL_DRAFT_CONTENT_H

#include <glib.h>
#include <stdbool.h>

#include "store/email/email.h"

struct email_submission;
struct service;

/* Checks which of subject, html, text, template_id and scheduled_at are given. INVALID, naming the
   field. */
bool email_draft_check_content(const struct email_submission *submission, GError **error);

/* Sets topic and workflow of an email. INVALID when the topic is not there; errors of
   db/statement.h. */
bool email_draft_set_campaign(struct service *service, struct store_email *email,
    const struct email_submission *submission, GError **error);

/* Sets variables, subject, headers, tags, html and text, and checks that they can be rendered.
   The emails of a batch together have the time that one may have. INVALID, naming the field;
   TOO_LARGE when html or text are too large with their variables; errors of db/statement.h. */
bool email_draft_set_content(struct service *service, struct store_email *email,
    const struct email_submission *submission, GError **error);

/* Derives the text of an email that was given html alone. */
void email_draft_derive_text(
    struct service *service, struct store_email *email, const struct email_submission *submission);

/* Takes the subject as it was given; returns true. */
bool email_draft_copy_subject(struct store_email *email, const char *subject);

/* Adds html or text that was given for this email. */
void email_draft_add_given(
    struct store_email *email, enum store_email_part_role role, const char *given);

#endif
