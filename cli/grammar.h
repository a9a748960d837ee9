/* SPDX-License-Identifier: MIT */
/* What can be said on the command line: nouns, their verbs, and what each verb takes. Help, the
   reading of the command line and the test of the manual page all work from these rows. */
#ifndef CLI_GRAMMAR_H
#define CLI_GRAMMAR_H

#include <glib.h>
#include <stdbool.h>

struct cli_call;

enum cli_parameter_type {
	PARAMETER_TEXT,	   /* at most max characters, none of them a control character */
	PARAMETER_ADDRESS, /* local@domain; its text is then the normal form */
	PARAMETER_SENDER,  /* Name <local@domain>; likewise */
	PARAMETER_URL,	   /* absolute, http or https, at most max characters */
	PARAMETER_TIME,	   /* ISO 8601; its number is epoch ms */
	PARAMETER_CHOICE,  /* one of choices; its number is the place there */
	PARAMETER_NUMBER,  /* a whole number, min to max */
	PARAMETER_ID,	   /* a UUID; also its id */
	PARAMETER_FILE,	   /* a path, or what the verb says */
	PARAMETER_LIMIT,   /* LIMIT=VALUE, as cli_value_limit reads it */
	PARAMETER_ANY,	   /* whatever is given, be it nothing or no text */
	PARAMETER_FLAG,	   /* an option without a value; its number is 1 where it is given */
};

#define PARAMETER_CHOICES 3

/* An argument, or an option. Arguments come first in their table, in their order. */
struct cli_parameter {
	const char *name; /* "NAME" of an argument, "--name" of an option */
	const char *help;
	const char *value; /* of an option that takes one: what help calls it */
	enum cli_parameter_type type;
	bool required; /* of an option */
	bool optional; /* of the last argument; the others never are. Of an option: its value is,
			  which is "true" then */
	bool repeated; /* may be given more than once: an option, or the last argument */
	glong min,
	    max; /* characters of a PARAMETER_TEXT, where min 0 counts as 1; or of a number */
	const char *choices[PARAMETER_CHOICES + 1]; /* NULL-terminated */
};

/* The option by which a choice is overridden (core/consent.h). */
#define PARAMETER_OVERRIDE(what)                                                                   \
	{                                                                                          \
		"--override", what ", and for what reason, which goes on the record", "REASON",    \
		    .max = LIMIT_OVERRIDE_LENGTH, .optional = true                                 \
	}

/* What must be there before a verb runs; each includes those above it. */
enum cli_need {
	NEED_NOTHING,
	NEED_SETTINGS,
	NEED_DATABASE,
	NEED_SCHEMA,	/* of our version */
	NEED_WORKSPACE, /* and the verb takes --workspace */
};

#define COMMAND_PARAMETERS 10

struct cli_command {
	const char *verb; /* NULL: the noun alone says it all */
	const char *help; /* a sentence; the first words are what the list of all commands shows */
	enum cli_need need;
	bool of_files; /* it works on files, and can do without what it needs of the installation */
	const struct cli_parameter *parameters;
	guint count;
	bool (*run)(struct cli_call *call, GError **error);
	bool retry; /* started by a mail server, which has to try again whatever goes wrong */
};

#define PARAMETERS(table) .parameters = (table), .count = G_N_ELEMENTS(table)

struct cli_noun {
	const char *name;
	const struct cli_command *commands;
	guint count;
};

/* The options that every command takes, and --workspace. */
enum { GLOBAL_CONFIG, GLOBAL_JSON, GLOBAL_HELP, GLOBAL_VERSION, GLOBAL_COUNT };
extern const struct cli_parameter cli_global[GLOBAL_COUNT];
extern const struct cli_parameter cli_workspace;

bool cli_parameter_is_option(const struct cli_parameter *parameter);

/* What help and errors call it: "NAME" or "--from ADDRESS". The caller owns it. */
char *cli_parameter_label(const struct cli_parameter *parameter);

#endif
