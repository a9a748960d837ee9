/* SPDX-License-Identifier: MIT */
/* A whole Posthouse with a web server, as ./quickstart starts it. */
#ifndef TESTS_SUPPORT_INSTANCE_H
#define TESTS_SUPPORT_INSTANCE_H

#include <glib.h>

#include "base/scope.h"

/* The default of [dns] servers of an instance; nothing answers there, so no query leaves this
   machine. */
#define TEST_NOBODY_TO_ASK "127.0.0.1:1"

/* A running instance. Errors while it starts end the process with a message. */
struct test_instance {
	char *dir;
	char *url;    /* without a final slash */
	char *key;    /* of scope full, in the only workspace there is at first */
	char *config; /* path of its settings */
	char *domain; /* that may be sent from */
	char *maildir;
	char *bin;  /* the folder of the programs */
	char *smtp; /* the address of the SMTP door */
	GPid keeper;
	int leash; /* the keeper ends the instance when this is closed */
};

/* A suite's main: starts an instance under this web server (lighttpd, apache) that its tests share,
   runs them, at most jobs at once (0: as many as there are processors), and stops it. 77, with a
   sentence, where something is missing that it needs. */
int test_instance_main(int argc, char **argv, const char *server, guint jobs);

/* The one of the suite. The caller closes it, which leaves it running. */
struct test_instance *test_instance_shared(void);

/* Starts it again with these options of ./quickstart, NULL-terminated: settings and server change,
   what it holds stays. */
void test_instance_restart(struct test_instance *instance, const char *const *options);

void test_instance_close(struct test_instance *instance);
DEFINE_AUTO(test_instance, test_instance_close)

/* Runs posthouse or posthouse-spool with these arguments, NULL-terminated. Gives what it printed,
   to be freed; where it fails, that ends the process. */
char *test_instance_run(
    const struct test_instance *instance, const char *program, const char *const *arguments);
#define TEST_RUN(instance, program, ...)                                                           \
	test_instance_run(instance, program, (const char *const[]){__VA_ARGS__, NULL})

#endif
