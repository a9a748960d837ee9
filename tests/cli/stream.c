/* SPDX-License-Identifier: MIT */
/* Tests posthouse stream, and routes of streams, on a real database. */
#include <string.h>

#include "tests/cli/news.h"

NEWS_SUITE(stream);

static void
stream_expect(const char *line, int status, const char *output, const char *errors)
{
	program_expect(news->config, line, status, output, errors);
}

Test(stream, is_listed_paused_paced_and_resumed)
{
	stream_expect("stream list", 0,
	    "NAME * PAUSED * PER_HOUR * REASON * CHANGED * WAITING\n"
	    "transactional * no * 0 *\nautomation *\nbroadcast *\n",
	    NULL);
	stream_expect("stream pause broadcast --reason complaints", 0,
	    "The stream broadcast is paused; all is accepted and waits.\n", NULL);
	stream_expect("stream pace broadcast 10000000 --json", 0,
	    "{\"name\":\"broadcast\",\"paused\":true,\"per_hour\":10000000,"
	    "\"reason\":\"complaints\",\"changed\":*,\"waiting\":0}\n",
	    NULL);
	stream_expect("stream pace broadcast 10000001", 64, NULL, "*10000000*");
	stream_expect("stream pace broadcast 0", 0, "The stream broadcast has no pace.\n", NULL);
	stream_expect("stream pace automation 5", 0,
	    "The stream automation sends at most 5 an hour.\n", NULL);
	stream_expect("stream resume broadcast", 0, "The stream broadcast goes on.\n", NULL);
	stream_expect("stream list --json", 0,
	    "{\"streams\":[{\"name\":\"transactional\",*},{\"name\":\"automation\","
	    "\"paused\":false,\"per_hour\":5,*},{\"name\":\"broadcast\",\"paused\":false,"
	    "\"per_hour\":0,\"reason\":null,*}]}\n",
	    NULL);
	stream_expect("stream pause receipts", 66, NULL, "*Stream not found*");
	cr_expect_eq(
	    test_db_number(news->db, "SELECT COUNT(*) FROM audit WHERE action = 'stream.changed'"),
	    5);
}

Test(stream, has_routes_of_its_own)
{
	stream_expect(
	    "workspace relay nowhere --for broadcast", 66, NULL, "*no relay \"nowhere\"*");
	stream_expect("workspace relay --for newsletter", 64, NULL,
	    "*must be one of transactional, automation, broadcast*");
	stream_expect("workspace relay --for broadcast", 0,
	    "Stream broadcast of workspace \"*\" has no route of its own any more.\n", NULL);
}
