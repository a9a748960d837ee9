/* SPDX-License-Identifier: MIT */
/* Figures, through HTTP. */
#include <criterion/criterion.h>

#include "tests/http/email.h"

FIXTURE_SUITE(stats, 900);

#define ID "01994f3e-7b6a-7c1d-9c43-4d0f6f2f8a11"
#define NONE "{'stats':[],'count':0,'cursor':null}"
#define ONE_OF                                                                                     \
	"{'message':'group_by must be one of day, broadcast, variant, template, workflow, node,"   \
	" tag, domain, provider, link, execution, step, stream, each also with ,day'}"
#define GET(query) "GET", "/v1/stats" query, NULL

Test(stats, check_what_is_asked_for)
{
	const struct exchange exchanges[] = {
	    {"nothing yet", GET(""), 200, NONE},
	    {"broadcasts", GET("?group_by=broadcast"), 200, NONE},
	    {"variants", GET("?group_by=variant&broadcast_id=" ID), 200, NONE},
	    {"links", GET("?group_by=link,day&broadcast_id=" ID), 200, NONE},
	    {"nodes", GET("?group_by=node&workflow_id=x"), 200, NONE},
	    {"a group", GET("?group_by=recipient"), 400, ONE_OF},
	    {"two groups", GET("?group_by=tag,domain"), 400, ONE_OF},
	    {"no broadcast", GET("?group_by=variant"), 400,
		"{'message':'broadcast_id is required'}"},
	    {"no broadcast of links", GET("?group_by=link,day"), 400,
		"{'message':'broadcast_id is required'}"},
	    {"no workflow", GET("?group_by=node"), 400, "{'message':'workflow_id is required'}"},
	    {"no workflow of steps", GET("?group_by=step,day"), 400,
		"{'message':'workflow_id is required'}"},
	    {"executions", GET("?group_by=execution,day"), 200, NONE},
	    {"steps", GET("?group_by=step&workflow_id=" ID), 200, NONE},
	    {"1100 days", GET("?from=2026-01-01&to=2029-01-05"), 200, NONE},
	    {"1101 days", GET("?from=2026-01-01&to=2029-01-06"), 400,
		"{'message':'from and to must be at most 1100 days apart'}"},
	    {"no day", GET("?from=x"), 400,
		"{'message':'from must be a date, such as 2026-11-20, or epoch milliseconds'}"},
	    {"a cursor", GET("?cursor=x"), 400, "{'message':'cursor is malformed'}"},
	    {"another method", "POST", "/v1/stats", "{}", 405},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(stats, count_each_recipient)
{
	g_autofree char *first =
	    email_send(fixture, "'to':['a@gmail.com','b@gmx.de'],'tags':{'kind':'news'}");
	g_autofree char *second = email_send(fixture, "'to':'delivered@test.posthouse.invalid'");
	const struct exchange exchanges[] = {
	    {"days", GET(""), 200,
		.want = {"count = 1", "stats[0].key : null", "stats[0].day : string",
		    "stats[0].accepted = 3", "stats[0].opened_people = 0", "stats[0].replied = 0",
		    "cursor : null"}},
	    {"providers", GET("?group_by=provider"), 200,
		.want = {"count = 3", "stats[0].key = 'gmail'", "stats[0].day : null",
		    "stats[0].accepted = 1", "stats[1].key = 'gmx'", "stats[2].key = 'other'"}},
	    {"tags", GET("?group_by=tag,day"), 200,
		.want = {"count = 1", "stats[0].key = 'kind:news'", "stats[0].day : string",
		    "stats[0].accepted = 2"}},
	    {"domains", GET("?group_by=domain"), 200,
		.want = {"count = 1", "stats[0].key : string", "stats[0].accepted = 3"}},
	    {"templates", GET("?group_by=template"), 200, NONE},
	    {"before today", GET("?to=2026-01-01"), 200, NONE},
	};

	cr_assert(first && second);
	EXPECT_ALL(fixture, exchanges);
}
