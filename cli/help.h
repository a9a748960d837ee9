#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/call.h"

#define HELP_COLUMNS 80

/* The help on a topic, lines of at most HELP_COLUMNS. noun and command as far as the topic has
   them. The caller owns it. */
char *cli_help(enum topic topic, const struct noun *noun, const struct command *command);

#endif
