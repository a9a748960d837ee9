/* SPDX-License-Identifier: MIT */
/* Cases of sessions with two messages: whether the session is had, else the error. */
#ifndef TESTS_SMTP_FAILURE_CASE_H
#define TESTS_SMTP_FAILURE_CASE_H

#include "base/error.h"
#include "tests/smtp/sending.h"

/* The recipients of the two messages, for sending_start. */
extern const char *const failure_two[];

/* want NULL: the session is had, and both messages are sent. */
struct failure_case {
	const char *name;
	struct smtp_script script;
	enum config_setting_tls tls;
	const char *host, *user, *password;
	bool trusts; /* the server's certificate */
	bool unverified;
	enum config_relay_auth auth;
	const char *token_command, *tls_name, *source;
	bool shows_own; /* certificate */
	enum ph_error want_code;
	const char *want;	   /* a pattern for the message */
	const char *want_enhanced; /* NULL: any */
	const char *want_stage;	   /* NULL: any */
	const char *want_log;	   /* stands in the server's log */
	const char *not_log;	   /* does not */
};

/* Runs each case, and expects that it ends as wanted. */
void failure_check(const struct failure_case *cases, gsize count);

#endif
