/* SPDX-License-Identifier: MIT */
/* How a command line names an audience (audience/audience.h finds it). */
#ifndef CLI_AUDIENCE_H
#define CLI_AUDIENCE_H

/* The help on an argument AUDIENCE. */
#define AUDIENCE_HELP "its id, or its name where only one has it"

#endif
