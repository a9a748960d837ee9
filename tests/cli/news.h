/* SPDX-License-Identifier: MIT */
/* An installation with the workspace One, its audience News, and a file of contacts. */
#ifndef TESTS_CLI_NEWS_H
#define TESTS_CLI_NEWS_H

#include <criterion/criterion.h>
#include <glib.h>

#include "base/scope.h"
#include "tests/cli/program.h"
#include "tests/support/db.h"

struct news {
	char *config, *dir, *file; /* file: the path of contacts.csv in dir, not made yet */
	struct config_settings *settings;
	struct db *db;
};

struct news *news_open(void);
void news_close(struct news *news);
DEFINE_AUTO(news, news_close)

/* A suite in which each test has its own installation. */
#define NEWS_SUITE(name)                                                                           \
	static struct news *news;                                                                  \
	static void begin(void)                                                                    \
	{                                                                                          \
		news = news_open();                                                                \
	}                                                                                          \
	static void end(void)                                                                      \
	{                                                                                          \
		news_close(news);                                                                  \
	}                                                                                          \
	TestSuite(name, .init = begin, .fini = end, .timeout = 900)

/* Write the file. */
void news_put_bytes(const struct news *news, const char *content, gsize size);
void news_put(const struct news *news, const char *content);

/* Runs posthouse contact VERB News FILE with these options, like program_expect. */
void news_expect(const struct news *news, const char *verb, const char *options, int status,
    const char *output, const char *errors);

/* Expects the counters and all contacts, "email first last is_subscribed", separated by ";". name:
   of the case. */
void news_expect_state(const struct news *news, const char *name, const char *want);

/* Removes all contacts. */
void news_empty(const struct news *news);

/* The summary of an import. */
#define SAID(created, updated, unchanged, skipped, bad)                                            \
	created " new, " updated " changed, " unchanged " unchanged, " skipped " skipped, " bad    \
		" bad lines.\n"

#endif
