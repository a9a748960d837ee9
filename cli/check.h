/* The checks of posthouse doctor, each in the file of what it looks at. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <glib.h>

struct db;
struct settings;

enum state { STATE_OK, STATE_WARN, STATE_FAIL };

/* What was seen, and what to do about it. */
struct finding {
	char *check; /* its name */
	enum state state;
	char *text;
	char *remedy; /* NULL where nothing is to be done */
};

/* What a check looks at. A check whose things are not there says nothing: why they are not has been
   said. */
struct examination {
	const char *config;	   /* --config, or NULL */
	struct settings *settings; /* NULL: they could not be read */
	struct db *db;		   /* NULL: it could not be reached */
	GPtrArray *findings;	   /* of struct finding */
};

struct examination *cli_examination_new(const char *config);
void cli_examination_free(struct examination *examination);

/* Notes what was seen. */
void cli_check_ok(struct examination *examination, const char *check, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
void cli_check_bad(struct examination *examination, const char *check, enum state state,
    const char *remedy, const char *format, ...) G_GNUC_PRINTF(5, 6);

/* check_settings.c: opens the settings. */
void cli_check_settings(struct examination *examination);
void cli_check_url(struct examination *examination);
void cli_check_mx(struct examination *examination);

/* check_database.c: the first opens the database. */
void cli_check_database(struct examination *examination);
void cli_check_server(struct examination *examination);
void cli_check_schema(struct examination *examination);
void cli_check_inventory(struct examination *examination);
void cli_check_backlog(struct examination *examination);

/* check_spool.c */
void cli_check_spool(struct examination *examination);

/* check_relay.c: connects to each relay, and talks to it. */
void cli_check_relays(struct examination *examination);

#endif
