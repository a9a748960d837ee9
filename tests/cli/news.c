/* SPDX-License-Identifier: MIT */
/* Makes an audience and a file of contacts for tests. */
#include "tests/cli/news.h"

#include <stdlib.h>
#include <string.h>

struct news *
news_open(void)
{
	struct news *news = g_new0(struct news, 1);

	news->config = test_mariadb_file(NULL, NULL, NULL);
	news->dir = g_dir_make_tmp("posthouse-contact.XXXXXX", NULL);
	news->file = g_build_filename(news->dir, "contacts.csv", NULL);
	news->settings = config_settings_load(news->config, NULL);
	news->db = test_db_open(news->settings);
	g_free(program_line(news->config, "schema migrate"));
	g_free(program_line(news->config, "workspace create One"));
	g_free(program_line(news->config, "audience create News"));
	return news;
}

void
news_close(struct news *news)
{
	g_autofree char *command = g_strdup_printf("rm -r '%s'", news->dir);

	db_close(news->db);
	config_settings_free(news->settings);
	cr_expect_eq(system(command), 0);
	g_free(news->file);
	g_free(news->dir);
	g_free(news->config);
	g_free(news);
}

void
news_put_bytes(const struct news *news, const char *content, gsize size)
{
	cr_assert(g_file_set_contents(news->file, content, (gssize)size, NULL));
}

void
news_put(const struct news *news, const char *content)
{
	news_put_bytes(news, content, strlen(content));
}

void
news_expect(const struct news *news, const char *verb, const char *options, int status,
    const char *output, const char *errors)
{
	g_autofree char *line =
	    g_strdup_printf("contact %s News '%s' %s", verb, news->file, options);

	program_expect(news->config, line, status, output, errors);
}

/* All contacts, "email first last is_subscribed", separated by ";", after the counters. */
static char *
news_state(const struct news *news)
{
	return test_db_text(news->db,
	    "SELECT CONCAT((SELECT CONCAT(SUM(contacts), '/', SUM(unsubscribers)) FROM"
	    " audience_counter), ' ', COALESCE((SELECT GROUP_CONCAT(CONCAT_WS(' ', p.email,"
	    " COALESCE(p.first_name, '-'), COALESCE(p.last_name, '-'), c.is_subscribed)"
	    " ORDER BY c.address SEPARATOR '; ') FROM contact c LEFT JOIN person p"
	    " ON p.workspace_id = c.workspace_id AND p.address = c.address), ''))");
}

void
news_expect_state(const struct news *news, const char *name, const char *want)
{
	g_autofree char *got = news_state(news);

	cr_expect_str_eq(got, want, "%s: got %s, want %s", name, got, want);
}

void
news_empty(const struct news *news)
{
	test_db_plain(news->db, "DELETE FROM contact");
	test_db_plain(news->db, "DELETE FROM person");
	test_db_plain(news->db, "UPDATE audience_counter SET contacts = 0, unsubscribers = 0");
}
