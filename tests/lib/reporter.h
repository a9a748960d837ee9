/* SPDX-License-Identifier: MIT */
/* A provider that reports to an endpoint: makes its keys, and signs its requests. */
#ifndef TESTS_CORE_REPORTER_H
#define TESTS_CORE_REPORTER_H

#include "feedback/provider.h"
#include "tests/lib/fixture.h"
#include "tests/support/http_server.h"

#define REPORTER_TOPIC "arn:aws:sns:us-east-1:123456789012:posthouse"

struct reporter {
	enum provider_name provider;
	char *secret; /* as given or made; of sendgrid the public key; NULL of ses */
	char *token;
	void *key;		    /* EVP_PKEY of ses and sendgrid */
	char *pem;		    /* the certificate of ses */
	struct http_server *server; /* of ses: serves /cert.pem and /confirm */
	struct store_provider *endpoint;
	gint64 shift; /* of the times that ses signs, in ms */
};

/* Makes the keys of a provider. */
struct reporter *reporter_new(enum provider_name provider);
void reporter_free(struct reporter *reporter);
DEFINE_AUTO(reporter, reporter_free)

/* Adds the endpoint of a relay to the database of service. */
void reporter_add(struct reporter *reporter, struct service *service, const char *relay);

/* A request that is signed at a time (epoch ms). */
struct reporter_request {
	char *body;
	GHashTable *headers;
};

/* body: the events, as the provider documents them; of ses the message in the notification (type
   NULL), or none in a message of another type. ' stands for ". id: of the request. */
struct reporter_request *reporter_sign(
    const struct reporter *reporter, const char *type, const char *body, const char *id, gint64 at);
void reporter_request_free(struct reporter_request *request);
DEFINE_AUTO(reporter_request, reporter_request_free)

/* Signs an SNS message with a version of signature and an address of the certificate; NULL: those
   of reporter_sign. */
struct reporter_request *reporter_notify(const struct reporter *reporter, const char *type,
    const char *message, const char *id, const char *version, const char *url);

/* Takes a request. NULL: it was taken; else the error, which the caller owns. */
GError *reporter_take(const struct reporter *reporter, struct service *service,
    const struct reporter_request *request, struct feedback_provider_result *result_r);

#endif
