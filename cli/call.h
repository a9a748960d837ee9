/* One command as it was called, and what its verb works with. */
#ifndef CLI_CALL_H
#define CLI_CALL_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"
#include "cli/value.h"

struct db;
struct output;
struct settings;
struct workspace;

/* Which help is to be shown. */
enum topic { TOPIC_NONE, TOPIC_ALL, TOPIC_NOUN, TOPIC_COMMAND };

struct call {
	/* from the command line */
	const struct noun *noun;
	const struct command *command;
	struct value values[COMMAND_PARAMETERS]; /* by place in the command's parameters */
	char *workspace_name, *config;		 /* NULL when not given */
	bool json, help, version;
	enum topic topic;

	/* as far as the command needs it */
	struct output *output;
	struct settings *settings;
	struct db *db;
	bool ready; /* the installation is: what goes wrong later is the caller's matter */
	struct workspace *workspace;
	GError *lack; /* of a command that works on files: why not all is there, or NULL */
};

/* Reads the command line into call, which is zero. INVALID, with a sentence, when it says nothing
   that can be done; topic is then the help that may help, json is set all the same. argv[0] is the
   program. */
bool cli_call_read(struct call *call, const char *const *argv, GError **error);

/* Opens what the command needs: settings, database, workspace. Errors of each; a command that
   works on files gets them as its lack, unless --config or --workspace was given. */
bool cli_call_open(struct call *call, GError **error);

void cli_call_clear(struct call *call);

#endif
