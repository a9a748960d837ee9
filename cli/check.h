/* SPDX-License-Identifier: MIT */
/* The checks of posthouse doctor, each in the file of what it looks at. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <glib.h>

struct db;
struct base_settings;

enum cli_state { STATE_OK, STATE_WARN, STATE_FAIL };

/* What was seen, and what to do about it. */
struct cli_finding {
	char *check; /* its name */
	enum cli_state state;
	char *text;
	char *remedy; /* NULL where nothing is to be done */
};

/* What a check looks at. A check whose things are not there says nothing: why they are not has been
   said. */
struct cli_examination {
	const char *config;		/* --config, or NULL */
	struct base_settings *settings; /* NULL: they could not be read */
	struct db *db;			/* NULL: it could not be reached */
	GPtrArray *findings;		/* of struct cli_finding */
};

struct cli_examination *cli_examination_new(const char *config);
void cli_examination_free(struct cli_examination *examination);

/* Notes what was seen. */
void cli_check_ok(struct cli_examination *examination, const char *check, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
void cli_check_bad(struct cli_examination *examination, const char *check, enum cli_state state,
    const char *remedy, const char *format, ...) G_GNUC_PRINTF(5, 6);

/* check_settings.c: opens the settings. */
void cli_check_settings(struct cli_examination *examination);
void cli_check_url(struct cli_examination *examination);
void cli_check_mx(struct cli_examination *examination);

/* check_database.c: the first opens the database. */
void cli_check_database(struct cli_examination *examination);
void cli_check_server(struct cli_examination *examination);
void cli_check_schema(struct cli_examination *examination);
void cli_check_inventory(struct cli_examination *examination);
void cli_check_backlog(struct cli_examination *examination);

/* check_spool.c */
void cli_check_spool(struct cli_examination *examination);

/* check_relay.c: connects to each relay, and talks to it. */
void cli_check_relays(struct cli_examination *examination);

#endif
