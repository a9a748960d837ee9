/* SPDX-License-Identifier: MIT */
/* An installation with the workspace One, and a connection to its database. */
#ifndef TESTS_CLI_OFFICE_H
#define TESTS_CLI_OFFICE_H

#include <criterion/criterion.h>
#include <glib.h>

#include "tests/cli/program.h"
#include "tests/support/db.h"

/* A suite in which each test has its own installation; config is the settings file. */
#define OFFICE_SUITE(name)                                                                         \
	static char *config;                                                                       \
	static struct config_settings *settings;                                                   \
	static struct db *db;                                                                      \
	static void begin(void)                                                                    \
	{                                                                                          \
		config = test_mariadb_file(NULL, NULL, NULL);                                      \
		settings = config_settings_load(config, NULL);                                     \
		db = test_db_open(settings);                                                       \
		g_free(program_line(config, "schema migrate"));                                    \
		g_free(program_line(config, "workspace create One"));                              \
	}                                                                                          \
	static void end(void)                                                                      \
	{                                                                                          \
		db_close(db);                                                                      \
		config_settings_free(settings);                                                    \
		g_free(config);                                                                    \
	}                                                                                          \
	TestSuite(name, .init = begin, .fini = end, .timeout = 900)

#endif
