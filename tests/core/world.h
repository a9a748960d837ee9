/* An installation for one test: a fresh database with a workspace, a user, a key and the trusted
   domain example.com, a scripted relay, and a core over them. What goes wrong in making it ends the
   test. */
#ifndef TESTS_CORE_WORLD_H
#define TESTS_CORE_WORLD_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "core/core.h"
#include "core/submission.h"
#include "db/connection.h"
#include "store/domain.h"
#include "store/email.h"
#include "store/key.h"
#include "tests/support/smtp_server.h"

struct world {
	char *file; /* of the settings */
	struct settings *settings;
	struct smtp_server *relay; /* NULL where none was asked for */
	struct core *core;
	struct key key;
	struct domain *domain;
	struct db *db; /* a connection of the test's own */
};

/* script NULL: no relay listens. more: further sections of the settings file, or NULL. */
struct world *world_open(const struct smtp_script *script, const char *more);
void world_close(struct world *world);
DEFINE_AUTO(world, world_close)

/* A submission that is complete: from a@example.com to b@x.org, subject "Hello", html. */
struct submission world_submission(void);

/* An attachment of it; the caller owns the array. */
GArray *world_attachments(const struct submission_attachment *attachments, guint count);

/* All that has happened to an email, oldest first, a line for each event: "0 sent" or
   "1 bounced Permanent 5.1.1: 550 5.1.1 no such user". The caller owns it. */
char *world_events(struct world *world, const struct id *email);

/* What is in the outbox, a line for each copy: recipients' numbers, attempts, and whether it is
   "claimed", "held" or due at which time after its since, in seconds: "0 2, 1 attempts, 60 s". The
   caller owns it. */
char *world_outbox(struct world *world);

/* The email as it is stored; the caller owns it. */
struct email *world_email(struct world *world, const struct id *id);

/* The id that an answer {"id": ...} gives. */
struct id world_answer_id(const char *answer);

#endif
