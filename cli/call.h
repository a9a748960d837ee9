/* SPDX-License-Identifier: MIT */
/* One command as it was called, and what its verb works with. */
#ifndef CLI_CALL_H
#define CLI_CALL_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"
#include "cli/value.h"

struct db;
struct cli_output;
struct base_settings;
struct store_workspace;

/* Which help is to be shown. */
enum cli_topic { TOPIC_NONE, TOPIC_ALL, TOPIC_NOUN, TOPIC_COMMAND };

struct cli_call {
	/* from the command line */
	const struct cli_noun *noun;
	const struct cli_command *command;
	struct cli_value values[COMMAND_PARAMETERS]; /* by place in the command's parameters */
	char *workspace_name, *config;		     /* NULL when not given */
	bool json, help, version;
	enum cli_topic topic;

	/* as far as the command needs it */
	struct cli_output *output;
	struct base_settings *settings;
	struct db *db;
	bool ready; /* the installation is: what goes wrong later is the caller's matter */
	struct store_workspace *workspace;
	GError *lack; /* of a command that works on files: why not all is there, or NULL */
};

/* Reads the command line into call, which is zero. INVALID, with a sentence, when it says nothing
   that can be done; topic is then the help that may help, json is set all the same. argv[0] is the
   program. */
bool cli_call_read(struct cli_call *call, const char *const *argv, GError **error);

/* Opens what the command needs: settings, database, workspace. Errors of each; a command that
   works on files gets them as its lack, unless --config or --workspace was given. */
bool cli_call_open(struct cli_call *call, GError **error);

void cli_call_clear(struct cli_call *call);

#endif
