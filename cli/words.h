/* SPDX-License-Identifier: MIT */
/* The command line of sendmail(8), rewritten as the grammar of commands has it. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

/* A copy of the command line, with the word "sendmail" where a link of that name was called. The
   caller owns it. */
char **cli_words_link(const char *const *argv);

/* A copy of the command line of sendmail, without the options that mean nothing here, and with each
   other option of one letter, and its value, as a word of its own. Options that nobody knows stay,
   and are refused later. The caller owns it. */
char **cli_words_plain(char *const *words);

#endif
