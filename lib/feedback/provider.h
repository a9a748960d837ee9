/* SPDX-License-Identifier: MIT */
/* The endpoints at which providers report, and their requests. */
#ifndef FEEDBACK_PROVIDER_H
#define FEEDBACK_PROVIDER_H

#include <glib.h>
#include <stdbool.h>

#include "feedback/provider_record.h"
#include "provider/provider.h"

struct service;

/* A new endpoint. */
struct feedback_provider_added {
	struct base_id id;
	char *url;    /* at which the provider reports */
	char *secret; /* NULL: there is none */
};

/* Frees the members; the struct is the caller's. */
void feedback_provider_added_clear(struct feedback_provider_added *added);

/* Adds an endpoint for the provider's relay of this name. secret: as provider_secret_check takes
   it; NULL: one is made, where there is one. INVALID when the provider needs a secret, or takes
   none, or it has the wrong form. Clear added_r. */
bool feedback_provider_add(struct service *service, enum provider_name provider, const char *relay,
    const char *secret, struct feedback_provider_added *added_r, GError **error);

/* The endpoint that a path names: /in/PROVIDER/TOKEN. Connects to the database (service_ensure).
   NOT_FOUND "Not found". The caller frees it. */
struct store_provider *feedback_provider_find(
    struct service *service, const char *provider, const char *token, GError **error);

/* Verifies a request to an endpoint, whose JSON is parsed here, and records its events in one
   transaction. feedback/provider_record.h says what an event means, and to whom. UNAUTHORIZED when
   it should name a user and does not; FORBIDDEN "Signature is not valid"; INVALID when its body has
   not the provider's form; TEMPORARY when a certificate or a confirmation could not be fetched;
   errors of db/transaction.h. After TEMPORARY and UNCERTAIN the same request may come again. */
bool feedback_provider_take(struct service *service, const struct store_provider *endpoint,
    struct provider_request *request, struct feedback_provider_result *result_r, GError **error);

#endif
