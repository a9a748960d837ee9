/* SPDX-License-Identifier: MIT */
/* Tests posthouse sending on a real database. */
#include <string.h>

#include "tests/cli/news.h"

NEWS_SUITE(sending);

/* Runs a command, with a file of this content in place of FILE. */
static void
sending_expect(
    const char *command, const char *content, int status, const char *output, const char *errors)
{
	g_autofree char *path = NULL;
	int file = g_file_open_tmp("posthouse-XXXXXX", &path, NULL);
	g_autoptr(GString) line = g_string_new(command);

	cr_assert(file >= 0 && g_file_set_contents(path, content, -1, NULL));
	g_string_replace(line, "FILE", path, 0);
	program_expect(news->config, line->str, status, output, errors);
	unlink(path);
	close(file);
}

#define HOURS                                                                                      \
	"{\"windows\":[{\"days\":[\"mon\"],\"from\":\"09:00\",\"to\":\"18:00\"}],\"zone\":"        \
	"\"UTC\"}"
#define CAP "{\"mailings\":3,\"days\":7,\"wait\":null}"

Test(sending, is_set_and_shown)
{
	sending_expect("sending show --json", "", 0, "{\"hours\":null,\"cap\":null}\n", NULL);
	sending_expect("sending set FILE --json", "{\"hours\":" HOURS ",\"cap\":" CAP "}", 0,
	    "{\"hours\":" HOURS ",\"cap\":" CAP "}\n", NULL);
	sending_expect(
	    "sending show --json", "", 0, "{\"hours\":" HOURS ",\"cap\":" CAP "}\n", NULL);
	sending_expect("sending show", "", 0, "hours*09:00*cap*\"mailings\":3*", NULL);
	sending_expect("sending set FILE", "{}", 0, "hours*-*cap*-*", NULL);
	sending_expect("sending set FILE", "{\"cap\":{\"mailings\":0,\"days\":7}}", 65, NULL,
	    "*cap.mailings must be 1 to 1000*");
	sending_expect("sending set FILE", "{\"cap\":{\"mailing\":3,\"days\":7}}", 65, NULL,
	    "*cap.mailing is not a member*did you mean mailings?*");
	sending_expect("sending set FILE", "[", 65, NULL, "*FILE*");
	sending_expect("sending set", "", 64, NULL, "*FILE is missing*");
	sending_expect("sending set FILE.none", "", 66, NULL, "*cannot be read*");
	sending_expect("sending show --topic 0199c1a2-7f00-7000-8000-000000000001", "", 66, NULL,
	    "*Topic not found*");
	sending_expect("sending set FILE --topic 0199c1a2-7f00-7000-8000-000000000001", "{}", 66,
	    NULL, "*Topic not found*");
	cr_expect_eq(
	    test_db_number(news->db, "SELECT COUNT(*) FROM audit WHERE action = 'sending.changed'"),
	    2);
}
