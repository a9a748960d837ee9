/* SPDX-License-Identifier: MIT */
/* A call of the program: the parsed command line, and the resources that its command needs. */
#ifndef CLI_CALL_H
#define CLI_CALL_H

#include <glib.h>
#include <stdbool.h>

#include "cli/grammar.h"
#include "cli/value.h"
#include "store/email/stream.h"

struct base_id;
struct service;
struct db;
struct json;
struct json_table;
struct cli_output;
struct config_settings;
struct store_workspace;

/* The subject of help. */
enum cli_topic { TOPIC_NONE, TOPIC_ALL, TOPIC_NOUN, TOPIC_COMMAND };

struct cli_call {
	/* From the command line. */
	const struct cli_noun *noun;
	const struct cli_command *command;
	struct cli_value values[COMMAND_PARAMETERS]; /* indexed like the command's parameters */
	char *workspace_name, *config;		     /* NULL when not given */
	bool json, help, version;
	enum cli_topic topic;

	/* Opened as far as the command needs it. */
	struct cli_output *output;
	struct config_settings *settings;
	struct service *service;
	struct db *db; /* of service */
	bool ready;    /* settings, database and schema are open; later errors are not the
			  installation's */
	struct store_workspace *workspace;
	const char *audit; /* set by the command: for the audit, in place of the command's; or NULL
			    */
	char *audit_name;  /* of what the command removes; NULL: it has none, or removes nothing */
	bool only_read;	   /* set by a command that may change something, and has not */
	int status;	   /* set by the command: its exit status in place of 0, or of that of its
			      error; 0: not set */
	GError *lack; /* of a command that works on files: the reason why a resource is missing, or
			 NULL */
};

/* Parses the command line into call, which is zero. argv[0] is the program. INVALID, with a
   sentence, when the command line is wrong; topic is then the help to show, and json is still set.
 */
bool cli_call_read(struct cli_call *call, const char *const *argv, GError **error);

/* Opens the resources that the command needs: settings, database, workspace. Errors of each. For a
   command that works on files the error goes to lack, unless --config or --workspace was given. */
bool cli_call_open(struct cli_call *call, GError **error);

/* The user who stands as the creator of what the command makes: the workspace's first. *user_r is
   id_r, or NULL where the workspace has no user yet. */
bool cli_call_user(const struct cli_call *call, struct base_id *id_r, const struct base_id **user_r,
    GError **error);

/* Treats the members of an object in a file that the table does not have as a request does:
   INVALID for a misspelled one, and for any if [service] unknown_members is refuse. */
bool cli_call_check_members(const struct cli_call *call, const struct json *object,
    const struct json_table *table, GError **error);

/* Closes and frees all members. */
void cli_call_clear(struct cli_call *call);

/* The option of a command for one stream, and the stream of its value; 0: it is not given. */
#define CLI_CALL_FOR_STREAM                                                                        \
	{                                                                                          \
		"--for", "only for mail of this stream",                                           \
		    .type = PARAMETER_CHOICE,                                                      \
		    .choices = {"transactional", "automation", "broadcast"},                       \
	}
enum store_stream cli_call_stream(const struct cli_value *value);

/* The route that the names of relays on the command line make, as store_domain_set_relays takes it;
   *route_r is NULL where there are none. names: NULL-terminated, or NULL. NOT_FOUND when the
   settings do not have one of them. The caller owns it. */
bool cli_call_route(
    const struct cli_call *call, char *const *names, char **route_r, GError **error);

#endif
