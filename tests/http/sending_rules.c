/* SPDX-License-Identifier: MIT */
/* /v1/sending, and what becomes of mailings by it. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "tests/http/alone.h"
#include "tests/http/audience.h"
#include "tests/http/broadcast.h"
#include "tests/http/email.h"
#include "tests/http/exchange.h"
#include "tests/support/db.h"

FIXTURE_SUITE(sending_rules, 900);

#define DAYS "['mon','tue','wed','thu','fri','sat','sun']"
#define PUT(name_, body_, status_, want_)                                                          \
	{                                                                                          \
		.name = name_, .method = "PUT", .path = "/v1/sending", .body = body_,              \
		.want_status = status_, .want_body = want_                                         \
	}
#define BAD(name_, body_, message_) PUT(name_, body_, 400, "{'message':'" message_ "'}")
#define HOURS(windows) "{'hours':{'windows':[" windows "]}}"
#define WINDOW "{'from':'09:00','to':'18:00'}"
#define ALL_WINDOW "{'days':" DAYS ",'from':'09:00','to':'18:00'}"
#define CAP(cap) "{'cap':{" cap "}}"

static const struct exchange rules[] = {
    {"none yet", "GET", "/v1/sending", NULL, 200, "{'hours':null,'cap':null}"},
    PUT("all defaults", HOURS(WINDOW), 200,
	"{'hours':{'windows':[" ALL_WINDOW "],'zone':'UTC'},'cap':null}"),
    {"are kept", "GET", "/v1/sending", NULL, 200,
	"{'hours':{'windows':[" ALL_WINDOW "],'zone':'UTC'},'cap':null}"},
    PUT("left out, they go", "{}", 200, "{'hours':null,'cap':null}"),
    {"are gone", "GET", "/v1/sending", NULL, 200, "{'hours':null,'cap':null}"},
    PUT("seven windows",
	HOURS(WINDOW "," WINDOW "," WINDOW "," WINDOW "," WINDOW "," WINDOW "," WINDOW), 200, NULL),
    BAD("eight windows",
	HOURS(WINDOW "," WINDOW "," WINDOW "," WINDOW "," WINDOW "," WINDOW "," WINDOW "," WINDOW),
	"hours.windows must have at most 7 elements"),
    BAD("no window", HOURS(""), "hours.windows must not be empty"),
    BAD("no windows", "{'hours':{}}", "hours.windows is required"),
    BAD("no array", "{'hours':{'windows':1}}", "hours.windows must be an array"),
    BAD("no object", "{'hours':'any'}", "hours must be an object"),
    BAD("no time", HOURS("{'from':'9:00','to':'18:00'}"),
	"hours.windows[0].from must be a time such as 09:00"),
    BAD("no end", HOURS(WINDOW ",{'from':'09:00'}"),
	"hours.windows[1].to must be a time such as 09:00"),
    BAD("24:00 begins nothing", HOURS("{'from':'24:00','to':'18:00'}"),
	"hours.windows[0].from must be a time such as 09:00"),
    PUT("24:00 is an end", HOURS("{'from':'00:00','to':'24:00'}"), 200,
	"{'hours':{'windows':[{'days':" DAYS
	",'from':'00:00','to':'24:00'}],'zone':'UTC'},'cap':null}"),
    BAD("24:01", HOURS("{'from':'00:00','to':'24:01'}"),
	"hours.windows[0].to must be a time such as 09:00"),
    BAD("the same", HOURS("{'from':'09:00','to':'09:00'}"),
	"hours.windows[0].from and to must differ"),
    BAD("no day", HOURS("{'days':['monday'],'from':'09:00','to':'18:00'}"),
	"hours.windows[0].days[0] must be one of mon, tue, wed, thu, fri, sat, sun"),
    BAD("no days", HOURS("{'days':[],'from':'09:00','to':'18:00'}"),
	"hours.windows[0].days must not be empty"),
    BAD("no zone", "{'hours':{'windows':[" WINDOW "],'zone':'CET/x'}}",
	"hours.zone must be an IANA time zone"),
    PUT("days and zone",
	"{'hours':{'windows':[{'days':['sun','mon'],'from':'22:00','to':'06:00'}],"
	"'zone':'Europe/Berlin'}}",
	200,
	"{'hours':{'windows':[{'days':['mon','sun'],'from':'22:00','to':'06:00'}],"
	"'zone':'Europe/Berlin'},'cap':null}"),
    PUT("the least cap", CAP("'mailings':1,'days':1"), 200,
	"{'hours':null,'cap':{'mailings':1,'days':1,'wait':null}}"),
    PUT("the greatest cap", CAP("'mailings':1000,'days':365,'wait':{'duration':30,'unit':'days'}"),
	200,
	"{'hours':null,'cap':{'mailings':1000,'days':365,'wait':{'duration':30,'unit':'days'}}}"),
    BAD("no mailing", CAP("'mailings':0,'days':1"), "cap.mailings must be 1 to 1000"),
    BAD("too many", CAP("'mailings':1001,'days':1"), "cap.mailings must be 1 to 1000"),
    BAD("not given", CAP("'days':1"), "cap.mailings must be 1 to 1000"),
    BAD("text", CAP("'mailings':'3','days':1"), "cap.mailings must be 1 to 1000"),
    BAD("no day", CAP("'mailings':1,'days':0"), "cap.days must be 1 to 365"),
    BAD("too long", CAP("'mailings':1,'days':366"), "cap.days must be 1 to 365"),
    BAD("long wait", CAP("'mailings':1,'days':1,'wait':{'duration':31,'unit':'days'}"),
	"cap.wait must be at most 30 days"),
    BAD("five weeks", CAP("'mailings':1,'days':1,'wait':{'duration':5,'unit':'weeks'}"),
	"cap.wait must be at most 30 days"),
    BAD("no wait", CAP("'mailings':1,'days':1,'wait':{'duration':0,'unit':'days'}"),
	"cap.wait.duration must be a whole number from 1"),
    BAD("no unit", CAP("'mailings':1,'days':1,'wait':{'duration':1}"),
	"cap.wait.unit must be minutes, hours, days or weeks"),
    BAD("a cap is an object", "{'cap':3}", "cap must be an object"),
    BAD("misspelled", CAP("'mailings':1,'days':1,'waits':null"),
	"cap.waits is not a field of this request; did you mean wait?"),
    {"of no topic", "PUT", "/v1/topics/0199c1a2-7f00-7000-8000-000000000001/sending", "{}", 404,
	"{'message':'Topic not found'}"},
    {"of no topic", "GET", "/v1/topics/x/sending", NULL, 404, "{'message':'Topic not found'}"},
    PUT("none again", "{'hours':null,'cap':null}", 200, "{'hours':null,'cap':null}"),
};

Test(sending_rules, are_set_and_shown)
{
	exchange_expect_all(fixture, rules, G_N_ELEMENTS(rules));
}

Test(sending_rules, are_those_of_a_topic_until_it_goes)
{
	g_autofree char *topic =
	    broadcast_ask(fixture, "POST", "/v1/topics", "{'name':'T'}", 200, "id");
	g_autofree char *path = g_strdup_printf("/v1/topics/%s", topic);
	g_autofree char *sending = g_strconcat(path, "/sending", NULL);

	g_free(broadcast_ask(fixture, "PUT", sending, CAP("'mailings':2,'days':3"), 200, NULL));
	const struct exchange exchanges[] = {
	    {"topic", "GET", sending, NULL, 200,
		"{'hours':null,'cap':{'mailings':2,'days':3,'wait':null}}"},
	    {"workspace", "GET", "/v1/sending", NULL, 200, "{'hours':null,'cap':null}"},
	    {"audit", "GET", "/v1/audit?action=sending.changed", NULL, 200,
		.want = {"audit[0].action = 'sending.changed'"}},
	};
	exchange_expect_all(fixture, exchanges, G_N_ELEMENTS(exchanges));
	g_free(broadcast_ask(fixture, "DELETE", path, NULL, 200, NULL));
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM sending_rule"
						 " WHERE workspace_id = @workspace"),
	    0);
}

/* In sync mode too: what waits then is the spool's. */
Test(sending_rules, hold_a_single_mailing)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *topic =
	    broadcast_ask(fixture, "POST", "/v1/topics", "{'name':'T'}", 200, "id");
	g_autofree char *sending = g_strdup_printf("/v1/topics/%s/sending", topic);
	g_autofree char *about = g_strdup_printf("'topic_id':'%s'", topic);

	g_free(broadcast_ask(fixture, "PUT", sending,
	    CAP("'mailings':1,'days':7,'wait':{'duration':8,'unit':'days'}"), 200, NULL));
	g_autofree char *first = email_send(fixture, about);
	g_autofree char *second = email_send(fixture, about);
	g_autofree char *waiting = g_strdup_printf("/v1/emails/%s/waiting", second);
	alone_spool(fixture, 0);
	AUTO(answer)
	answer = exchange_expect(fixture, &(struct exchange){"waits", "GET", waiting, NULL, 200,
					      .want = {"waiting[0].attempts = 0", "count = 1"}});
	cr_expect(g_str_has_prefix(answer_text(answer, "waiting[0].reason"),
		      "cap: at most 1 in 7 days, may leave from 2"),
	    "%s", answer->body);
	g_autofree char *events = alone_events(fixture, second, 0);
	cr_expect_str_eq(events, "", "%s", events);
	g_free(broadcast_ask(fixture, "PUT", sending, CAP("'mailings':1,'days':7"), 200, NULL));
	g_autofree char *third = email_send(fixture, about);
	alone_spool(fixture, 0);
	alone_expect_events(fixture, "skipped", third, 0, "suppressed cap: at most 1 in 7 days");
	g_free(broadcast_ask(fixture, "PUT", sending, "{}", 200, NULL));
	alone_spool(fixture, (gint64)8 * 24 * 3600 * 1000);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM outbox"
						 " WHERE workspace_id = @workspace"),
	    0);
}

/* Three mailings wait for the place of one that has just been sent, and the next spool comes when
   it is free for all. */
Test(sending_rules, give_a_place_by_priority_however_late_the_spool)
{
#define MAILING(id, priority)                                                                      \
	"{'id':'" id "','type':'send_email','data':{'from':'a@" FIXTURE_DOMAIN "','subject':'" id  \
	"','html':'" OUT "','priority':'" priority "'}}"
#define NEXT(from, to) "{'id':'" to "e','source':'" from "','target':'" to "'}"
	ALONE_SET(fixture, NULL);
	static const char design[] =
	    "{'name':'W','status':'active','design':{'nodes':[{'id':'t','type':'trigger','data':"
	    "{'eventName':'go'}}," MAILING("first", "normal") "," MAILING("low", "low") "," MAILING(
		"high", "high") "," MAILING("normal", "normal") "],'edges':[" NEXT("t",
		"first") "," NEXT("first", "low") "," NEXT("low", "high") "," NEXT("high",
		"normal") "]}}";
	static const char *const want[] = {"first", "first high", "first high normal"};

	g_free(broadcast_ask(fixture, "PUT", "/v1/sending",
	    CAP("'mailings':1,'days':1,'wait':{'duration':9,'unit':'days'}"), 200, NULL));
	g_free(broadcast_ask(fixture, "POST", "/v1/workflows", design, 200, NULL));
	g_free(broadcast_ask(fixture, "POST", "/v1/events",
	    "{'event_name':'go','email':'ann@example.net'}", 200, NULL));
	for (guint day = 0; day < G_N_ELEMENTS(want); day++) {
		alone_spool(fixture, day * ((gint64)24 * 3600 + 600) * 1000);
		g_autofree char *sent = test_db_text(fixture->db,
		    "SELECT GROUP_CONCAT(m.subject ORDER BY e.timestamp SEPARATOR ' ') FROM email m"
		    " JOIN event e ON e.email_id = m.id WHERE m.workspace_id = @workspace"
		    " AND e.status = 1");
		cr_expect_str_eq(sent, want[day], "day %u: %s", day, sent);
	}
	g_free(broadcast_ask(fixture, "PUT", "/v1/sending", "{}", 200, NULL));
}

/* A window that is open in two hours, for an hour. The caller owns it. */
static char *
sending_rules_later(gint64 *from_r)
{
	gint64 hour = (g_get_real_time() / 1000 / 3600000 + 2) % 24;

	*from_r = (g_get_real_time() / 1000 / 3600000 + 2) * 3600000;
	return g_strdup_printf(
	    "{'windows':[{'from':'%02d:00','to':'%02d:00'}]}", (int)hour, (int)(hour + 1) % 24);
}

Test(sending_rules, hold_and_skip_recipients_of_a_broadcast)
{
	ALONE_SET(fixture, NULL);
	gint64 from;
	g_autofree char *hours = sending_rules_later(&from);
	g_autofree char *audience = broadcast_audience(fixture, "A", "{'email':'a@example.net'}");
	g_autofree char *members = g_strdup_printf(
	    "'subject':'S','html':'" OUT "','audiences':['%s'],'hours':%s,'priority':'high'",
	    audience, hours);
	g_autofree char *path = broadcast_new(fixture, members);
	g_autofree char *list = g_strconcat(path, "/recipients", NULL);
	g_autofree char *due = g_strdup_printf("recipients[0].due = %" G_GINT64_FORMAT, from);

	g_free(
	    broadcast_ask(fixture, "PUT", "/v1/sending", CAP("'mailings':1,'days':7"), 200, NULL));
	alone_spool(fixture, 0);
	answer_free(
	    exchange_expect(fixture, &(struct exchange){"waits", "GET", list, NULL, 200,
					 .want = {"recipients[0].status = 'pending'", due}}));
	alone_spool(fixture, from - g_get_real_time() / 1000 + 60000);
	answer_free(exchange_expect(fixture, &(struct exchange){"sent", "GET", list, NULL, 200,
						 .want = {"recipients[0].status = 'delivered'"}}));

	/* The next one at any time: but there is no place; then one that asks for none. */
	g_autofree char *any = g_strdup_printf(
	    "'subject':'S','html':'" OUT "','audiences':['%s'],'hours':'any'", audience);
	g_autofree char *next = broadcast_new(fixture, any);
	g_autofree char *next_list = g_strconcat(next, "/recipients", NULL);
	alone_spool(fixture, from - g_get_real_time() / 1000 + 120000);
	answer_free(exchange_expect(fixture,
	    &(struct exchange){"skipped", "GET", next_list, NULL, 200,
		.want = {"recipients[0].status = 'skipped'", "recipients[0].reason = 'cap'"}}));
	answer_free(
	    exchange_expect(fixture, &(struct exchange){"shows", "GET", next, NULL, 200,
					 .want = {"hours = 'any'", "ignore_cap = false",
					     "priority = 'normal'", "counts.skipped = 1"}}));
	g_autofree char *ignoring = g_strdup_printf(
	    "'subject':'S','html':'" OUT "','audiences':['%s'],'ignore_cap':true", audience);
	g_autofree char *last = broadcast_new(fixture, ignoring);
	g_autofree char *last_list = g_strconcat(last, "/recipients", NULL);
	alone_spool(fixture, from - g_get_real_time() / 1000 + 180000);
	answer_free(
	    exchange_expect(fixture, &(struct exchange){"leaves", "GET", last_list, NULL, 200,
					 .want = {"recipients[0].status = 'delivered'"}}));
	g_free(broadcast_ask(fixture, "PUT", "/v1/sending", "{}", 200, NULL));
}

#define BROADCAST(name_, members, message_)                                                        \
	{                                                                                          \
		name_, "POST", "/v1/broadcasts", "{" members "}", 400,                             \
		    "{'message':'" message_ "'}"                                                   \
	}

Test(sending_rules, of_broadcasts_are_checked)
{
	static const struct exchange exchanges[] = {
	    BROADCAST("a word", "'hours':'never'", "hours must be an object or \\\"any\\\""),
	    BROADCAST("no window", "'hours':{'windows':[]}", "hours.windows must not be empty"),
	    BROADCAST("a number", "'hours':1", "hours must be a string or an object"),
	    BROADCAST(
		"priority", "'priority':'urgent'", "priority must be one of high, normal, low"),
	    BROADCAST("ignore_cap", "'ignore_cap':'yes'", "ignore_cap must be a boolean"),
	    {"good", "POST", "/v1/broadcasts",
		"{'hours':"
		"{'windows':[" WINDOW "]},'priority':'low','ignore_cap':true}",
		200,
		.want = {"hours.windows[0].from = '09:00'", "priority = 'low'",
		    "ignore_cap = true"}},
	};

	exchange_expect_all(fixture, exchanges, G_N_ELEMENTS(exchanges));
}
