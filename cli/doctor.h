/* SPDX-License-Identifier: MIT */
/* posthouse doctor: the state that its checks share, and their results. */
#ifndef CLI_DOCTOR_H
#define CLI_DOCTOR_H

#include <glib.h>

struct db;
struct base_settings;

enum cli_state { STATE_OK, STATE_WARN, STATE_FAIL };

struct cli_check_result {
	char *check; /* its name */
	enum cli_state state;
	char *text;
	char *remedy; /* NULL: no action needed */
};

/* The resources that the checks examine. A check whose resource is missing adds no result: the
   check that opens the resource has reported the reason. */
struct cli_doctor {
	const char *config;		/* --config, or NULL */
	struct base_settings *settings; /* NULL: they could not be read */
	struct db *db;			/* NULL: it could not be reached */
	GPtrArray *results;		/* of struct cli_check_result */
};

/* Adds a result of the state STATE_OK. */
void cli_check_ok(struct cli_doctor *doctor, const char *check, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Adds a result of another state, with its remedy (NULL: none). */
void cli_check_bad(struct cli_doctor *doctor, const char *check, enum cli_state state,
    const char *remedy, const char *format, ...) G_GNUC_PRINTF(5, 6);

/* Connects to each relay and reads what it offers; sends no mail. In check_relay.c. */
void cli_check_relays(struct cli_doctor *doctor);

#endif
