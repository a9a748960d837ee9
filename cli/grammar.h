/* SPDX-License-Identifier: MIT */
/* The grammar of the command line: nouns, their verbs, and the parameters of each verb. The parser
   of the command line, the help and the test of the manual page all use these tables. */
#ifndef CLI_GRAMMAR_H
#define CLI_GRAMMAR_H

#include <glib.h>
#include <stdbool.h>

#include "base/limits/person.h"

struct cli_call;

enum cli_parameter_type {
	PARAMETER_TEXT,	   /* at most max characters, none of them a control character */
	PARAMETER_ADDRESS, /* local@domain; its text becomes the normal form */
	PARAMETER_SENDER,  /* Name <local@domain>; its text becomes the normal form */
	PARAMETER_URL,	   /* absolute, http or https, at most max characters */
	PARAMETER_TIME,	   /* ISO 8601, or epoch ms; its number is epoch ms */
	PARAMETER_CHOICE,  /* one of choices; its number is the index there */
	PARAMETER_NUMBER,  /* a whole number, min to max */
	PARAMETER_ID,	   /* a UUID; also its id */
	PARAMETER_FILE,	   /* a path, or a text that the verb defines */
	PARAMETER_LIMIT,   /* LIMIT=VALUE, as cli_value_limit reads it */
	PARAMETER_ANY,	   /* any bytes, also none */
	PARAMETER_FLAG,	   /* an option without a value; its number is 1 where it is given */
};

#define PARAMETER_CHOICES 4

/* An argument, or an option, of a long name or, in sendmail alone, of one letter. Arguments come
 * first in their table, in their order. */
struct cli_parameter {
	const char *name; /* "NAME" of an argument, "--name" of an option */
	const char *help;
	const char *value; /* the name of an option's value in help; NULL: no value */
	enum cli_parameter_type type;
	bool required;	/* of an option */
	bool optional;	/* the last argument may be left out; or an option's value may, and is
			   "true" then */
	bool repeated;	/* may be given more than once: an option, or the last argument */
	glong min, max; /* characters of a PARAMETER_TEXT (min 0 means 1, and -1 that it may be
			   empty); or limits of a number */
	const char *choices[PARAMETER_CHOICES + 1]; /* NULL-terminated */
};

/* The option that overrides a contact's choice (consent/consent.h). */
#define PARAMETER_OVERRIDE(what)                                                                   \
	{                                                                                          \
		"--override", what ", with a reason, which is recorded", "REASON",                 \
		    .max = LIMIT_OVERRIDE_LENGTH, .optional = true                                 \
	}

/* The resource that a verb needs before it runs; each includes those above it. */
enum cli_need {
	NEED_NOTHING,
	NEED_SETTINGS,
	NEED_DATABASE,
	NEED_SCHEMA,	/* of this program's version */
	NEED_WORKSPACE, /* and the verb takes --workspace */
};

#define COMMAND_PARAMETERS 24

struct cli_command {
	const char *verb; /* NULL: the noun is the whole command */
	const char *help; /* sentences; the list of all commands shows the beginning */
	enum cli_need need;
	bool any_workspace; /* of NEED_WORKSPACE: it needs none where --workspace is not given */
	bool of_files;	    /* it works on files, and runs also when a resource is missing */
	const struct cli_parameter *parameters;
	guint count;
	bool (*run)(struct cli_call *call, GError **error);
	const char *audit; /* what it changes, for the audit: "domain.created"; NULL: nothing, or
			      the command notes it itself */
	bool retry;	   /* a mail server runs it, and must try again after any error */
	char **(*words)(char *const *words); /* the command line, with the words that the table
				    does not have taken out; the caller owns it; NULL: as it is */
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

/* Returns whether a parameter is an option, not an argument. */
bool cli_parameter_is_option(const struct cli_parameter *parameter);

/* Returns a parameter's name for help and errors: "NAME" or "--from ADDRESS". The caller owns it.
 */
char *cli_parameter_label(const struct cli_parameter *parameter);

/* The nouns, each defined in the file of its name. */
extern const struct cli_noun cli_noun_schema;
extern const struct cli_noun cli_noun_workspace;
extern const struct cli_noun cli_noun_user;
extern const struct cli_noun cli_noun_key;
extern const struct cli_noun cli_noun_domain;
extern const struct cli_noun cli_noun_dmarc;
extern const struct cli_noun cli_noun_template;
extern const struct cli_noun cli_noun_audience;
extern const struct cli_noun cli_noun_contact;
extern const struct cli_noun cli_noun_person;
extern const struct cli_noun cli_noun_property;
extern const struct cli_noun cli_noun_topic;
extern const struct cli_noun cli_noun_sending;
extern const struct cli_noun cli_noun_secret;
extern const struct cli_noun cli_noun_segment;
extern const struct cli_noun cli_noun_start;
extern const struct cli_noun cli_noun_form;
extern const struct cli_noun cli_noun_broadcast;
extern const struct cli_noun cli_noun_suppression;
extern const struct cli_noun cli_noun_email;
extern const struct cli_noun cli_noun_webhook;
extern const struct cli_noun cli_noun_provider;
extern const struct cli_noun cli_noun_workflow;
extern const struct cli_noun cli_noun_execution;
extern const struct cli_noun cli_noun_report;
extern const struct cli_noun cli_noun_receive;
extern const struct cli_noun cli_noun_route;
extern const struct cli_noun cli_noun_received;
extern const struct cli_noun cli_noun_event;
extern const struct cli_noun cli_noun_sendmail;
extern const struct cli_noun cli_noun_spool;
extern const struct cli_noun cli_noun_stats;
extern const struct cli_noun cli_noun_stream;
extern const struct cli_noun cli_noun_metrics;
extern const struct cli_noun cli_noun_backup;
extern const struct cli_noun cli_noun_restore;
extern const struct cli_noun cli_noun_doctor;
extern const struct cli_noun cli_noun_demo;

/* All nouns, NULL-terminated. */
extern const struct cli_noun *const cli_nouns[];

/* Return the noun of this name, or the command of this verb; NULL when there is none. */
const struct cli_noun *cli_noun_find(const char *name);
const struct cli_command *cli_command_find(const struct cli_noun *noun, const char *verb);

/* Returns the noun (or, if noun is not NULL, its verb) closest to a misspelt word; NULL when none
   is close. */
const char *cli_grammar_suggest(const struct cli_noun *noun, const char *word);

#endif
