/* SPDX-License-Identifier: MIT */
/* Settings files for tests. */
#ifndef TESTS_SUPPORT_SETTINGS_H
#define TESTS_SUPPORT_SETTINGS_H

#include "config/settings.h"

/* Writes dir/NAME.conf, with the settings that every file must have (a secret_file, a spool folder,
   both made in dir) and text, which may give anything else, and loads it. Errors end
   the process. The caller frees the result. */
struct config_settings *test_settings_load(const char *dir, const char *name, const char *text);

/* The same, for a program that loads it itself: the path, which the caller frees. */
char *test_settings_write(const char *dir, const char *name, const char *text);

/* Makes a folder for temporary files, whose path leaves room for the name of a socket. Errors end
   the process. The caller frees the path. */
char *test_folder_make(void);

/* Removes a folder with all that is in it, and frees the path. */
void test_folder_remove(char *dir);

#endif
