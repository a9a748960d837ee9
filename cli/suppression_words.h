/* SPDX-License-Identifier: MIT */
/* The words by which other services tell why an address is suppressed. */
#ifndef CLI_SUPPRESSION_WORDS_H
#define CLI_SUPPRESSION_WORDS_H

#include "store/consent/suppression.h"

/* The reason of a word, in any case and with any signs between ("Hard bounce", SpamComplaint,
   global_unsubscribes), or of a server's reply ("550 5.1.1 no such user", 5.1.1); 0: not known, or
   a temporary failure. */
enum store_suppression_reason cli_suppression_word(const char *text);

#endif
