/* SPDX-License-Identifier: MIT */
/* Mail that comes in, without a server in front. */
#ifndef TESTS_SUPPORT_INCOMING_H
#define TESTS_SUPPORT_INCOMING_H

#include "base/id.h"

struct config_settings;

/* Takes a message from env@x.org for an address of a domain that receives, for this workspace
   alone: tests that run at the same time have the same domain. The id of the mail. A failure ends
   the test. */
struct base_id test_incoming_take(const struct config_settings *settings,
    const struct base_id *workspace, const char *address, const char *message);

#endif
