/* SPDX-License-Identifier: MIT */
#include "smtp/session.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/smtp/sending.h"

#define SENT "sent data 250 2.0.0 taken\n"
#define BAD_ADDRESS "The address cannot be sent to a mail server.\n"
#define X20 "xxxxxxxxxxxxxxxxxxxx"
#define LONG500                                                                                    \
	X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20 X20    \
	    X20 X20 X20
#define LONG LONG500 LONG500 LONG500
#define LOST_BEFORE "The connection ended before the message was sent.\n"
#define LOST_AFTER "The connection ended after the message was sent and before the answer.\n"
#define LOST_ANSWER "The connection ended before the answer.\n"

/* The relay fails on the second of three messages in one of many ways: the outcomes of all, the
   number of connections, and the number of messages that the relay took. */
static const struct session_case {
	const char *name;
	struct smtp_rule rules[3];
	const char *want;
	guint connections, mails;
	const char *messages[4];
} cases[] = {
    {"all good", {}, "0 a@x.org " SENT "1 b@x.org " SENT "2 c@x.org " SENT, 1, 3, {}},
    {"sender refused", {REPLY("MAIL*", 2, "550 5.7.1 not you")},
	"0 a@x.org " SENT "1 b@x.org permanent mail 550 5.7.1 not you\n2 c@x.org " SENT, 1, 2, {}},
    {"sender deferred", {REPLY("MAIL*", 2, "451 4.3.0 later")},
	"0 a@x.org " SENT "1 b@x.org temporary mail 451 4.3.0 later\n2 c@x.org " SENT, 1, 2, {}},
    {"recipient refused", {REPLY("RCPT*b@x*", 0, "550 5.1.1 no such user")},
	"0 a@x.org " SENT "1 b@x.org permanent rcpt 550 5.1.1 no such user\n2 c@x.org " SENT, 1, 2,
	{}},
    {"some recipients refused",
	{REPLY("RCPT*b@x*", 0, "550 5.1.1 no such user"), REPLY("RCPT*c@x*", 0, "451 4.2.1 full")},
	"0 a@x.org " SENT "0 b@x.org permanent rcpt 550 5.1.1 no such user\n"
	"0 c@x.org temporary rcpt 451 4.2.1 full\n0 d@x.org " SENT "1 e@x.org " SENT,
	1, 2, {"a@x.org b@x.org c@x.org d@x.org", "e@x.org"}},
    {"message refused", {REPLY(".", 2, "554 5.7.1 spam")},
	"0 a@x.org " SENT "1 b@x.org permanent data 554 5.7.1 spam\n2 c@x.org " SENT, 1, 3, {}},
    {"message deferred", {REPLY(".", 2, "451 4.3.0 later")},
	"0 a@x.org " SENT "1 b@x.org temporary data 451 4.3.0 later\n2 c@x.org " SENT, 1, 3, {}},
    {"421 to MAIL", {REPLY("MAIL*", 2, "421 4.7.0 enough")},
	"0 a@x.org " SENT "1 b@x.org not-tried session 0 - \n2 c@x.org not-tried session 0 - \n", 1,
	1, {}},
    {"421 to RCPT", {THEN(DROP, "RCPT*b@x*", 0, "421 4.7.0 enough")},
	"0 a@x.org " SENT "1 b@x.org temporary rcpt 421 4.7.0 enough\n"
	"2 c@x.org not-tried session 0 - \n",
	1, 1, {}},
    {"421 to the dot", {THEN(DROP, ".", 2, "421 4.3.2 going down")},
	"0 a@x.org " SENT "1 b@x.org temporary data 421 4.3.2 going down\n"
	"2 c@x.org not-tried session 0 - \n",
	1, 2, {}},
    {"dropped at MAIL", {THEN(DROP, "MAIL*", 2, NULL)},
	"0 a@x.org " SENT "1 b@x.org not-tried session 0 - \n2 c@x.org not-tried session 0 - \n", 1,
	1, {}},
    {"dropped at the first MAIL", {THEN(DROP, "MAIL*", 0, NULL)},
	"0 a@x.org temporary mail 0 - " LOST_ANSWER "1 b@x.org not-tried session 0 - \n"
	"2 c@x.org not-tried session 0 - \n",
	1, 0, {}},
    {"dropped at RCPT", {THEN(DROP, "RCPT*b@x*", 0, NULL)},
	"0 a@x.org " SENT "1 b@x.org temporary rcpt 0 - " LOST_ANSWER
	"2 c@x.org not-tried session 0 - \n",
	1, 1, {}},
    {"dropped after RCPT", {THEN(DROP, "RCPT*b@x*", 0, "250 2.1.5 ok")},
	"0 a@x.org " SENT "1 b@x.org temporary data 0 - " LOST_BEFORE
	"2 c@x.org not-tried session 0 - \n",
	1, 1, {}},
    {"dropped at the dot", {THEN(DROP, ".", 2, NULL)},
	"0 a@x.org " SENT "1 b@x.org uncertain data 0 - " LOST_AFTER
	"2 c@x.org not-tried session 0 - \n",
	1, 2, {}},
    {"reset at the dot", {THEN(RESET, ".", 2, NULL)},
	"0 a@x.org " SENT "1 b@x.org uncertain data 0 - " LOST_AFTER
	"2 c@x.org not-tried session 0 - \n",
	1, 2, {}},
    {"silent at the dot", {THEN(HANG, ".", 2, NULL)},
	"0 a@x.org " SENT "1 b@x.org uncertain data 0 - " LOST_AFTER
	"2 c@x.org not-tried session 0 - \n",
	1, 2, {}},
    {"dropped behind the answer to the dot", {THEN(DROP, ".", 2, "250 2.0.0 taken")},
	"0 a@x.org " SENT "1 b@x.org " SENT "2 c@x.org not-tried session 0 - \n", 1, 2, {}},
    {"silent at MAIL", {THEN(HANG, "MAIL*", 2, NULL)},
	"0 a@x.org " SENT "1 b@x.org not-tried session 0 - \n2 c@x.org not-tried session 0 - \n", 1,
	1, {}},
    {"silent at RCPT", {THEN(HANG, "RCPT*b@x*", 0, NULL)},
	"0 a@x.org " SENT "1 b@x.org temporary rcpt 0 - " LOST_ANSWER
	"2 c@x.org not-tried session 0 - \n",
	1, 1, {}},
    {"DATA refused: another connection", {REPLY("DATA", 2, "554 5.7.1 no data from you")},
	"0 a@x.org " SENT "1 b@x.org permanent data 554 5.7.1 no data from you\n2 c@x.org " SENT, 2,
	2, {}},
    {"DATA deferred for the last one", {REPLY("DATA", 3, "451 4.3.0 later")},
	"0 a@x.org " SENT "1 b@x.org " SENT "2 c@x.org temporary data 451 4.3.0 later\n", 1, 2, {}},
    {"DATA refused, and no other connection",
	{REPLY("DATA", 2, "451 4.3.0 later"), REPLY("CONNECT", 2, "554 5.7.1 go away")},
	"0 a@x.org " SENT "1 b@x.org temporary data 451 4.3.0 later\n"
	"2 c@x.org not-tried session 0 - \n",
	2, 1, {}},
    {"421 to DATA", {THEN(DROP, "DATA", 2, "421 4.3.2 going down")},
	"0 a@x.org " SENT "1 b@x.org temporary data 421 4.3.2 going down\n"
	"2 c@x.org not-tried session 0 - \n",
	1, 1, {}},
    {"DATA taken without a message", {REPLY("DATA", 2, "250 2.0.0 taken")},
	"0 a@x.org " SENT "1 b@x.org temporary data 0 - " LOST_BEFORE "2 c@x.org " SENT, 2, 2, {}},
    {"DATA welcome without recipients",
	{REPLY("RCPT*b@x*", 0, "550 5.1.1 no such user"), REPLY("DATA", 2, "354 go on")},
	"0 a@x.org " SENT "1 b@x.org permanent rcpt 550 5.1.1 no such user\n2 c@x.org " SENT, 1, 2,
	{}},
    {"out of turn", {REPLY(".", 2, "503 5.5.1 bad sequence")},
	"0 a@x.org " SENT "1 b@x.org temporary data 503 5.5.1 bad sequence\n2 c@x.org " SENT, 1, 3,
	{}},
    {"no SMTP at MAIL", {REPLY("MAIL*", 2, "hello there")},
	"0 a@x.org " SENT "1 b@x.org not-tried session 0 - \n2 c@x.org not-tried session 0 - \n", 1,
	1, {}},
    {"no SMTP at RCPT", {REPLY("RCPT*b@x*", 0, "hello there")},
	"0 a@x.org " SENT "1 b@x.org temporary rcpt 0 - " LOST_ANSWER
	"2 c@x.org not-tried session 0 - \n",
	1, 1, {}},
    {"no SMTP at the dot", {REPLY(".", 2, "hello there")},
	"0 a@x.org " SENT "1 b@x.org uncertain data 0 - " LOST_AFTER
	"2 c@x.org not-tried session 0 - \n",
	1, 2, {}},
    {"an answer to the dot that contradicts itself", {REPLY(".", 2, "250-ok\r\n554 no")},
	"0 a@x.org " SENT "1 b@x.org uncertain data 0 - " LOST_AFTER
	"2 c@x.org not-tried session 0 - \n",
	1, 2, {}},
    {"an unknown answer to the dot", {REPLY(".", 2, "354 go on")},
	"0 a@x.org " SENT "1 b@x.org uncertain data 0 - " LOST_AFTER
	"2 c@x.org not-tried session 0 - \n",
	1, 2, {}},
    {"a longer line than the library reads", {REPLY(".", 2, "250 2.0.0 " LONG)},
	"0 a@x.org " SENT "1 b@x.org sent data 250 2.0.0 " LONG500 "\n"
	"2 c@x.org not-tried session 0 - \n",
	1, 2, {}},
    {"silent at RSET", {REPLY(".", 2, "554 5.7.1 spam"), THEN(HANG, "RSET", 0, NULL)},
	"0 a@x.org " SENT "1 b@x.org permanent data 554 5.7.1 spam\n"
	"2 c@x.org not-tried session 0 - \n",
	1, 2, {}},
    {"silent at QUIT", {THEN(HANG, "QUIT", 0, NULL)},
	"0 a@x.org " SENT "1 b@x.org " SENT "2 c@x.org " SENT, 1, 3, {}},
    {"bad addresses are not shown", {},
	"0 a@x.org\r\nRSET permanent rcpt 0 5.1.3 " BAD_ADDRESS "0 b@x.org " SENT
	"1 -c@x.org permanent rcpt 0 5.1.3 " BAD_ADDRESS "2 d@x.org " SENT,
	1, 2, {"a@x.org\r\nRSET b@x.org", "-c@x.org", "d@x.org"}},
    {"an answer in several lines",
	{REPLY(".", 2, "550-5.7.1 this is\r\n550-5.7.1 spam\r\n550 indeed")},
	"0 a@x.org " SENT "1 b@x.org permanent data 550 5.7.1 this is spam indeed\n2 c@x.org " SENT,
	1, 3, {}},
    {"codes alone",
	{REPLY("RCPT*b@x*", 0, "250"), REPLY(".", 2, "250-2.0.0 taken\r\n250"),
	    REPLY("MAIL*", 3, "550")},
	"0 a@x.org " SENT "1 b@x.org " SENT "2 c@x.org permanent mail 550 - \n", 1, 2, {}},
    {"several recipients, and dropped at the first", {THEN(DROP, "RCPT*a@x*", 0, NULL)},
	"0 a@x.org temporary rcpt 0 - " LOST_ANSWER "0 b@x.org temporary rcpt 0 - " LOST_ANSWER
	"0 c@x.org temporary rcpt 0 - " LOST_ANSWER "1 d@x.org not-tried session 0 - \n",
	1, 0, {"a@x.org b@x.org c@x.org", "d@x.org"}},
    {"several recipients, and no SMTP for the first", {REPLY("RCPT*a@x*", 0, "hello there")},
	"0 a@x.org temporary rcpt 0 - " LOST_ANSWER "0 b@x.org temporary rcpt 0 - " LOST_ANSWER
	"0 c@x.org temporary rcpt 0 - " LOST_ANSWER "1 d@x.org not-tried session 0 - \n",
	1, 0, {"a@x.org b@x.org c@x.org", "d@x.org"}},
    {"several recipients, and 421 to the first", {THEN(DROP, "RCPT*a@x*", 0, "421 4.7.0 enough")},
	"0 a@x.org temporary rcpt 421 4.7.0 enough\n0 b@x.org temporary rcpt 0 - " LOST_ANSWER
	"0 c@x.org temporary rcpt 0 - " LOST_ANSWER "1 d@x.org not-tried session 0 - \n",
	1, 0, {"a@x.org b@x.org c@x.org", "d@x.org"}},
};

static const char *const three[] = {"a@x.org", "b@x.org", "c@x.org", NULL};

/* The server falls silent at this point, which costs a second. */
static bool
is_silent(const struct session_case *c, const char *at)
{
	for (gsize i = 0; i < G_N_ELEMENTS(c->rules); i++)
		if (c->rules[i].then == THEN_HANG && (!at || strcmp(c->rules[i].at, at) == 0))
			return true;
	return false;
}

static void
session_check_case(
    const struct session_case *c, const char *extensions, enum config_setting_tls tls)
{
	struct smtp_script script = {.extensions = extensions, .implicit = tls == TLS_IMPLICIT};
	struct sending sending;

	memcpy(script.rules, c->rules, sizeof(c->rules));
	sending_start(&sending, &script, c->messages[0] ? c->messages : three);
	sending.relay.tls = tls;
	/* Nothing but the reply to the dot may be waited for at length. */
	sending.relay.dot_timeout_s = is_silent(c, ".") ? 1 : 60;
	sending_run(&sending);
	sending_stop(&sending);
	g_autofree char *got = sending_outcomes(&sending);
	g_autofree char *what = g_strdup_printf("%s (%s)", c->name, extensions);
	cr_expect(sending.had, "%s: no session: %s", what,
	    sending.error ? sending.error->message : "no reason");
	cr_expect_str_eq(got, c->want, "%s: got\n%swant\n%s", what, got, c->want);
	cr_expect_eq(smtp_server_connections(sending.server), c->connections,
	    "%s: got %u connections, want %u", what, smtp_server_connections(sending.server),
	    c->connections);
	cr_expect_eq(smtp_server_count(sending.server), c->mails, "%s: got %u mails, want %u", what,
	    smtp_server_count(sending.server), c->mails);
	sending_free(&sending);
}

Test(session, tells_what_became_of_each_message)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		session_check_case(&cases[i], "ENHANCEDSTATUSCODES", TLS_NONE);
}

Test(session, tells_the_same_when_commands_are_pipelined)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		if (!is_silent(&cases[i], NULL))
			session_check_case(&cases[i], "PIPELINING", TLS_NONE);
}

Test(session, tells_the_same_over_tls)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		session_check_case(&cases[i], "STARTTLS\nPIPELINING", TLS_OPPORTUNISTIC);
}

Test(session, tells_the_same_over_implicit_tls)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		if (!is_silent(&cases[i], NULL))
			session_check_case(&cases[i], "PIPELINING", TLS_IMPLICIT);
}
