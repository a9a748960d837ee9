/* SPDX-License-Identifier: MIT */
/* Counts of segments that take too long, and those of a workspace at the same time. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/http/alone.h"
#include "tests/http/exchange.h"
#include "tests/support/db.h"

FIXTURE_SUITE(segments_alone, 900);

#define PEOPLE                                                                                     \
	"INSERT INTO person (id, workspace_id, email, address, properties, first_seen, last_seen," \
	" last_event, event_count, entered, seen, created, updated) SELECT"                        \
	" UNHEX(LPAD(HEX(seq), 32, '0')), @workspace, CONCAT(seq, '@x.org'),"                      \
	" CONCAT(seq, '@x.org'), '{\"a\":\"b\"}', 0, 0, '', 0, 0, 0, 1, 1 FROM seq_1_to_5000"

/* A hundred rules about each person, of which none holds. */
static char *
rules(void)
{
	g_autoptr(GString) text = g_string_new("{'match':'any','rules':[");

	for (guint i = 0; i < 100; i++)
		g_string_append_printf(text,
		    "%s{'property':'a','operator':'contains','value':'c%u'}", i ? "," : "", i);
	g_string_append(text, "]}");
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* Makes a segment of these rules. Returns its id, which the caller owns. */
static char *
segments_alone_make(const char *of)
{
	g_autofree char *body = g_strdup_printf("{'name':'S','rules':%s}", of);
	const struct exchange exchange = {"make", "POST", "/v1/segments", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "id"));
}

/* Makes a broadcast to a segment. Returns the path of its check, which the caller owns. */
static char *
broadcast(const char *segment)
{
	g_autofree char *body = g_strdup_printf(
	    "{'from':'a@%s','subject':'S','html':'<p>{{unsubscribe_url}}</p>','segments':['%s']}",
	    fixture->instance->domain, segment);
	const struct exchange exchange = {"make", "POST", "/v1/broadcasts", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup_printf("/v1/broadcasts/%s/check", answer_text(answer, "id"));
}

Test(segments_alone, have_a_time_for_a_count)
{
	g_autofree char *text = rules(), *id = segments_alone_make(text);
	g_autofree char *body = g_strdup_printf("{'rules':%s}", text);
	g_autofree char *count = g_strdup_printf("/v1/segments/%s/count", id);
	g_autofree char *contacts = g_strdup_printf("/resend/segments/%s/contacts", id);
	g_autofree char *check = broadcast(id);
	const struct exchange in_time[] = {
	    {"count", "GET", count, NULL, 200, "{'count':0,'reachable':0}"},
	    {"check", "POST", check, NULL, 200,
		.want = {"recipients = 0", "findings[1].level = 'error'",
		    "findings[1].message = 'nobody would get it'"}},
	    {"preview", "POST", "/v1/segments/preview", body, 200,
		"{'count':0,'reachable':0,'people':[]}"},
	    {"page", "GET", contacts, NULL, 200},
	};
	const struct exchange late[] = {
	    {"count", "GET", count, NULL, 503,
		"{'message':'The service is not available at the moment'}",
		.want_header = {"Retry-After: 5"}},
	    {"check", "POST", check, NULL, 200,
		.want = {"recipients = null",
		    "findings[1] = {'level':'warning','code':'recipients','message':"
		    "'counting who would get it takes too long','count':1}"}},
	    {"preview", "POST", "/v1/segments/preview", body, 200,
		"{'count':null,'reachable':null,'more':true,'people':[]}"},
	    {"page", "GET", contacts, NULL, 503, .want_header = {"Retry-After: 5"}},
	};

	test_db_plain(fixture->db, PEOPLE);
	EXPECT_ALL(fixture, in_time);
	ALONE_SET(fixture, "limits.count_ms=1");
	EXPECT_ALL(fixture, late);
	test_db_plain(fixture->db, "DELETE FROM person WHERE workspace_id = @workspace");
}

/* The lock of a process that has died is gone like that of a closed file. */
Test(segments_alone, are_counted_one_at_a_time)
{
	ALONE_SET(fixture, "limits.count_wait_ms=0");
	g_autofree char *id = segments_alone_make("{'rules':[]}");
	g_autofree char *count = g_strdup_printf("/v1/segments/%s/count", id);
	g_autofree char *freeze = g_strdup_printf("/v1/segments/%s/freeze", id);
	g_autofree char *check = broadcast(id);
	g_autofree char *file =
	    g_build_filename(fixture->instance->dir, "spool", "segments.turns", NULL);
	const struct exchange free[] = {
	    {"count", "GET", count, NULL, 200, "{'count':0,'reachable':0}"},
	    {"check", "POST", check, NULL, 200, .want = {"recipients = 0"}},
	    {"preview", "POST", "/v1/segments/preview", "{'rules':{'rules':[]}}", 200},
	    {"freeze", "POST", freeze, "{'name':'F'}", 200},
	};
	const struct exchange taken[] = {
	    {"count", "GET", count, NULL, 503,
		"{'message':'The service is not available at the moment'}",
		.want_header = {"Retry-After: 5"}},
	    {"check", "POST", check, NULL, 503, .want_header = {"Retry-After: 5"}},
	    {"preview", "POST", "/v1/segments/preview", "{'rules':{'rules':[]}}", 503,
		.want_header = {"Retry-After: 5"}},
	    {"freeze", "POST", freeze, "{'name':'F'}", 503, .want_header = {"Retry-After: 5"}},
	};
	struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	EXPECT_ALL(fixture, free);
	int fd = open(file, O_RDWR | O_CLOEXEC);
	cr_assert_geq(fd, 0, "there is no %s", file);
	cr_assert_eq(fcntl(fd, F_OFD_SETLK, &all), 0);
	EXPECT_ALL(fixture, taken);
	close(fd);
	EXPECT_ALL(fixture, free);
}
