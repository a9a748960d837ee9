/* SPDX-License-Identifier: MIT */
/* The help, made from the grammar. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/call.h"

/* Returns the help on a topic, in lines of at most WRAP_COLUMNS (cli/text.h). noun and command: as
   far as the topic needs them. The caller owns the text. */
char *cli_help(
    enum cli_topic topic, const struct cli_noun *noun, const struct cli_command *command);

#endif
