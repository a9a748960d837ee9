/* SPDX-License-Identifier: MIT */
/* An installation for one test: a fresh database with a workspace, a user, a key and the trusted
   domain example.com, a scripted relay, and a service over them. A failure ends the
   test. */
#ifndef TESTS_CORE_FIXTURE_H
#define TESTS_CORE_FIXTURE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "db/connection.h"
#include "email/submission.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/email/email.h"
#include "store/workspace/key.h"
#include "tests/support/proxy.h"
#include "tests/support/smtp_server.h"

struct fixture {
	struct config_settings *database; /* settings with only the database in them */
	struct db *db;			  /* a connection of the test's own */
	struct store_key key;
	struct store_domain *domain;
	struct test_proxy *proxy; /* between service and the database; NULL unless asked for */

	struct config_settings *settings; /* the service's */
	struct service *service;
	struct smtp_server *relay; /* NULL where none was asked for */
	bool is_altered; /* the test erases, or stores events by itself: the figures may differ from
			    what is stored */
};

/* script NULL: no relay listens. more: further lines of the settings' [smtp] section and further
   sections, or NULL. */
struct fixture *fixture_open(const struct smtp_script *script, const char *more);

/* Expects, too, that the figures are those of what is stored (tests/support/figures.h). */
void fixture_close(struct fixture *fixture);
DEFINE_AUTO(fixture, fixture_close)

/* The same database with another relay, other settings and a new service. */
void fixture_renew(struct fixture *fixture, const struct smtp_script *script, const char *more);

/* From the next fixture_renew on the service's connection can be broken. */
void fixture_use_proxy(struct fixture *fixture);

/* A complete submission: from a@example.com to b@x.org, subject "Hello", html. */
struct email_submission fixture_submission(void);

/* An attachment of it; the caller owns the array. */
GArray *fixture_attachments(const struct email_submission_attachment *attachments, guint count);

/* All that has happened to an email, oldest first, a line for each event: "0 sent" or
   "1 bounced Permanent 5.1.1: 550 5.1.1 no such user". The caller owns it. */
char *fixture_events(struct fixture *fixture, const struct base_id *email);

/* The outbox, a line for each entry, oldest first: recipients' numbers, attempts made,
   and when it is due: "0 2: 1 attempts, in 5 min", "now", "claimed" or "held". Minutes are those of
   the retry schedule, with its jitter. The caller owns it. */
char *fixture_outbox(struct fixture *fixture);

/* The email as it is stored; the caller owns it. */
struct store_email *fixture_email(struct fixture *fixture, const struct base_id *id);

#endif
