/* SPDX-License-Identifier: MIT */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/call.h"

/* The help on a topic, in lines of at most WRAP_COLUMNS of
   cli/wrap.h. noun and command as far as the topic has
   them. The caller owns it. */
char *cli_help(
    enum cli_topic topic, const struct cli_noun *noun, const struct cli_command *command);

#endif
