/* SPDX-License-Identifier: MIT */
/* Installations with one fault, for posthouse doctor. */
#ifndef TESTS_CLI_BROKEN_H
#define TESTS_CLI_BROKEN_H

#include "tests/support/smtp_server.h"

/* The web server of an installation, which stands in for the service too. */
enum web {
	WEB_GOOD,
	WEB_STRIPS,	/* takes Authorization away */
	WEB_STRIPS_ALL, /* X-API-Key, too */
	WEB_FOREIGN,	/* the service of another installation: it knows no key of ours */
	WEB_OTHER,	/* another program */
	WEB_BROKEN,	/* the service answers 503 */
	WEB_PARTIAL,	/* it passes on /health alone */
	WEB_SILENT,	/* no answer */
};

#define NEVER (-1)

/* An installation with one relay called main, which has one fault. */
struct broken {
	const char *name, *only; /* only: of the check; NULL: all */
	struct smtp_script script;
	const char *address; /* host and port of the relay in place of the script's */
	const char *relay;   /* further lines of [relay main]. CA is the file of its certificate */
	const char *url;     /* service.url in place of that of the web server */
	const char *sql;     /* a statement in its database, %s; */
	const char *again;   /* the statement that takes it back */
	int ran;	     /* the spool's last run, minutes ago; 0: just now */
	enum web web;
	int status;
	const char *want; /* a result in one line */
};

/* The database of the installation, set by broken_install. The caller frees it. */
extern char *broken_database;

/* Makes an installation that may send from example.com. Returns its settings file, which the caller
   owns. */
char *broken_install(void);

/* Gives the installation the fault, and expects that doctor finds it. */
void broken_examine(const struct broken *broken);

/* Runs doctor with these settings; only: the check, NULL: all. want: a pattern for its output, with
   each result in one line. */
void broken_expect(
    const char *name, const char *config, const char *only, int status, const char *want);

#endif
