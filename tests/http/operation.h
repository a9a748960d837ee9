/* SPDX-License-Identifier: MIT */
/* The operations that openapi.json describes, and requests as it describes them. */
#ifndef TESTS_HTTP_OPERATION_H
#define TESTS_HTTP_OPERATION_H

#include "json/value.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

/* Read by operation_begin, before each test. */
extern struct fixture *operation_tenant;
extern char *operation_text; /* of openapi.json */
extern struct json *operation_document;

void operation_begin(void);
void operation_end(void);

/* One operation of the document. */
struct operation {
	char *name;   /* "POST /v1/emails" */
	char *method; /* in capitals */
	const char *path;
	const struct json *json;
};

/* All of them, in their order, as an array of struct operation. The caller owns it. */
GPtrArray *operation_all(void);

/* The media type of a request body or a response: JSON nearly always, and only one. */
const struct json *operation_media(const struct json *holder);

const struct json *operation_response(const struct operation *operation, guint status);

/* The fields of its body. */
const struct json *operation_properties(const struct operation *operation);

/* Whether it needs no key. */
bool operation_is_public(const struct operation *operation);
/* Whether it takes a form with a file, which tests of its own send. */
bool operation_takes_file(const struct operation *operation);

void operation_expect_valid(const char *name, const struct json *schema, const struct json *value);

/* Sends a request, and holds the reply against the description of its status. The caller owns the
   answer. */
struct answer *operation_ask(const struct operation *operation, const char *name, const char *path,
    const char *body, const char *credential);

/* The path with existing ids in place of each {name}. The caller owns it. */
char *operation_path(const struct operation *operation);

/* A body, which it frees, with the id of an audience in place of the description's. The caller
   owns it. */
char *operation_with_audience(char *body);

/* The first example of a request that is accepted; where there is none, the first one. NULL for a
   request without a body. The caller owns it. */
char *operation_body(const struct operation *operation);

#endif
