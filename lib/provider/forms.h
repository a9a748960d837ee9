/* SPDX-License-Identifier: MIT */
/* For this room: how the requests of each provider are verified and read. Amazon's stand in
   provider/sns.h. provider.c calls them.

   verify: as provider_verify.
   signed: as provider_signed_alone. The caller owns the text.
   read: adds the events of a document to the batch, which borrows from it. False when the document
   has not the provider's form.
   check: as provider_secret_check. False with INVALID, which names the form of a secret.
   new: a new secret. The caller owns it.
   id: the id of a request, which lives as long as the request; NULL when it has none. */
#ifndef PROVIDER_FORMS_H
#define PROVIDER_FORMS_H

#include <glib.h>
#include <stdbool.h>

#include "provider/event.h"
#include "provider/request.h"

enum provider_verdict provider_mailgun_verify(
    const struct provider_request *request, const char *secret);
char *provider_mailgun_signed(const struct provider_request *request);
bool provider_mailgun_read(struct provider_batch *batch, const struct json *json);

enum provider_verdict provider_postmark_verify(
    const struct provider_request *request, const char *secret);
bool provider_postmark_read(struct provider_batch *batch, const struct json *json);

enum provider_verdict provider_sendgrid_verify(
    const struct provider_request *request, const char *secret);
bool provider_sendgrid_check(const char *secret, GError **error);
bool provider_sendgrid_read(struct provider_batch *batch, const struct json *json);

enum provider_verdict provider_brevo_verify(
    const struct provider_request *request, const char *secret);
bool provider_brevo_read(struct provider_batch *batch, const struct json *json);

/* Resend, and our own form: both are Standard Webhooks. */
enum provider_verdict provider_standard_verify(
    const struct provider_request *request, const char *secret);
bool provider_standard_check(const char *secret, GError **error);
char *provider_standard_new(void);
const char *provider_standard_id(const struct provider_request *request);
bool provider_standard_read(struct provider_batch *batch, const struct json *json);

#endif
