/* SPDX-License-Identifier: MIT */
/* Mails that ask people to confirm, and their links. */
#ifndef TESTS_HTTP_CONFIRMATION_H
#define TESTS_HTTP_CONFIRMATION_H

#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

struct arrival;

/* Gives the workspace a default sender. */
void confirmation_prepare(const struct fixture *fixture);

/* Waits for the newest of so many emails to an address. The caller owns it. */
struct arrival *confirmation_mail(const struct fixture *fixture, const char *to, guint count);

/* The path of the link in that mail: "/t/s/...". The caller owns it. */
char *confirmation_link(const struct fixture *fixture, const char *to, guint count);

/* Sends a request as a person does, without a key. language: Accept-Language, or NULL. The caller
   owns the answer. */
struct answer *confirmation_ask(
    const struct fixture *fixture, const char *method, const char *path, const char *language);

#endif
