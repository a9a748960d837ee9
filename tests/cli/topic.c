/* SPDX-License-Identifier: MIT */
/* Tests posthouse topic and posthouse form on a real database. */
#include <string.h>

#include "base/limits/person.h"
#include "tests/cli/news.h"

NEWS_SUITE(topic);

static void
topic_expect(const char *line, int status, const char *output, const char *errors)
{
	program_expect(news->config, line, status, output, errors);
}

/* The last word of the last line of a command's output. The caller owns it. */
static char *
topic_last_word(const char *line)
{
	g_autofree char *output = program_line(news->config, line);
	const char *space = strrchr(g_strchomp(output), ' ');

	cr_assert(space, "got %s", output);
	return g_strdup(space + 1);
}

Test(topic, is_added_listed_and_removed)
{
	g_autofree char *too_long = g_strnfill(LIMIT_NAME_LENGTH + 1, 'x');
	g_autofree char *long_line = g_strdup_printf("topic add %s", too_long);
	g_autofree char *fits_line = g_strdup_printf("topic add %s", too_long + 1);

	topic_expect("topic list", 0, "There are no topics yet.\n", NULL);
	g_autofree char *id =
	    topic_last_word("topic add News --opt-in --private --description 'Each week'");
	topic_expect("topic list --json", 0,
	    "{\"topics\":[{\"id\":\"*\",\"name\":\"News\",\"description\":\"Each week\","
	    "\"public\":false,\"opt_in\":true,\"created\":*,\"updated\":*}]}\n",
	    NULL);
	topic_expect("topic add Offers --json", 0,
	    "{\"id\":\"*\",\"name\":\"Offers\",\"description\":\"\",\"public\":true,"
	    "\"opt_in\":false,*}\n",
	    NULL);
	topic_expect("topic list", 0, "ID*Offers*yes*no*News*Each week*no*yes*", NULL);
	topic_expect("topic add", 64, NULL, "*NAME is missing*");
	topic_expect("topic add ''", 64, NULL, "*NAME must not be empty*");
	topic_expect(long_line, 64, NULL, "*NAME must be 1 to 100 characters, not 101*");
	topic_expect(fits_line, 0, "Topic added: *", NULL);
	topic_expect("topic remove none", 66, NULL, "*Topic not found*");
	g_autofree char *remove = g_strdup_printf("topic remove %s", id);
	g_autofree char *remove_json = g_strdup_printf("%s --json", remove);
	topic_expect(remove_json, 0, "{\"id\":\"*\",\"message\":\"Topic deleted\"}\n", NULL);
	topic_expect(remove, 66, NULL, "*Topic not found*");
}

/* There may be a hundred. */
Test(topic, is_one_of_a_hundred)
{
	for (guint i = 0; i < LIMIT_TOPICS; i++)
		g_free(topic_last_word("topic add News"));
	topic_expect("topic add News", 73, NULL, "*Limit reached: at most 100 topics*");
}

Test(topic, is_unlike_a_form_which_has_an_audience)
{
	topic_expect("form list", 0, "There are no forms yet.\n", NULL);
	topic_expect("form add 'Sign up'", 64, NULL, "*AUDIENCE is missing*");
	topic_expect("form add 'Sign up' Others", 66, NULL, "*there is no audience \"Others\"*");
	g_autofree char *id = topic_last_word("form add 'Sign up' News");
	g_autofree char *show = g_strdup_printf("form show %s", id);
	g_autofree char *show_json = g_strdup_printf("form show %s --json", id);
	g_autofree char *remove = g_strdup_printf("form remove %s", id);
	topic_expect(show, 0, "id *url *name *Sign up*audience_id *per_network *30*", NULL);
	topic_expect(show_json, 0,
	    "{\"id\":\"*\",\"url\":\"*/f/*\",\"name\":\"Sign up\",\"audience_id\":\"*\","
	    "\"topics\":*,\"fields\":*,\"redirect_url\":null,\"origins\":null,\"double_opt_in\":"
	    "true,"
	    "\"per_network\":30,\"created\":*,\"updated\":*}\n",
	    NULL);
	topic_expect("form list --json", 0, "{\"forms\":[{\"id\":*}]}\n", NULL);
	topic_expect("form list", 0, "ID*URL*Sign up*", NULL);
	topic_expect("form show none", 66, NULL, "*Form not found*");
	g_autofree char *remove_json = g_strdup_printf("%s --json", remove);
	topic_expect(remove_json, 0, "{\"id\":\"*\",\"message\":\"Form deleted\"}\n", NULL);
	topic_expect(remove, 66, NULL, "*Form not found*");
	topic_expect(show, 66, NULL, "*Form not found*");
}
