/* SPDX-License-Identifier: MIT */
/* The nouns, each in the file of its name, and how words are found among them. */
#ifndef CLI_NOUNS_H
#define CLI_NOUNS_H

#include "cli/grammar.h"

extern const struct cli_noun cli_noun_schema;
extern const struct cli_noun cli_noun_workspace;
extern const struct cli_noun cli_noun_user;
extern const struct cli_noun cli_noun_key;
extern const struct cli_noun cli_noun_domain;
extern const struct cli_noun cli_noun_template;
extern const struct cli_noun cli_noun_audience;
extern const struct cli_noun cli_noun_contact;
extern const struct cli_noun cli_noun_suppression;
extern const struct cli_noun cli_noun_email;
extern const struct cli_noun cli_noun_workflow;
extern const struct cli_noun cli_noun_execution;
extern const struct cli_noun cli_noun_report;
extern const struct cli_noun cli_noun_event;
extern const struct cli_noun cli_noun_spool;
extern const struct cli_noun cli_noun_doctor;

/* All of them, NULL-terminated. */
extern const struct cli_noun *const cli_nouns[];

/* NULL when there is none. */
const struct cli_noun *cli_noun_find(const char *name);
const struct cli_command *cli_command_find(const struct cli_noun *noun, const char *verb);

/* The noun or verb (of noun, if not NULL) that was probably meant by word; NULL when none is near.
 */
const char *cli_grammar_suggest(const struct cli_noun *noun, const char *word);

#endif
