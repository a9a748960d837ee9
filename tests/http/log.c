/* SPDX-License-Identifier: MIT */
/* The lines of the log that requests, attempts and providers leave, and what must not be in them.
 */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/id.h"
#include "feedback/provider.h"
#include "service/service.h"
#include "tests/http/alone.h"
#include "tests/http/email.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"
#include "tests/support/smtp_server.h"

FIXTURE_SUITE(log, 900);

#define UUID "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
#define HEAD "time=\\S+Z level="
#define WAIT_MS 120000

/* The file that the log goes to, and [log] to for it. */
static char *path, *to;

static void
begin_file(void)
{
	static guint count;

	/* A name of its own, since a pool with the same settings goes on. */
	path = g_strdup_printf("%s/%s-%u.log", fixture->instance->dir, fixture->name, count++);
	to = g_strconcat("log.to=", path, NULL);
}

static char *
log_logged(void)
{
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? text : g_strdup("");
}

/* The first line that has this text. It is written after the answer, so it is waited for. The
   caller owns it; NULL: there is none. */
static char *
line_with(const char *text)
{
	for (gint64 end = g_get_monotonic_time() / 1000 + WAIT_MS;
	     g_get_monotonic_time() / 1000 < end; g_usleep(5000)) {
		g_autofree char *all = log_logged();
		g_auto(GStrv) lines = g_strsplit(all, "\n", -1);

		/* Behind the last line feed a line may be on its way. */
		for (char **line = lines; *line && line[1]; line++)
			if (strstr(*line, text))
				return g_strdup(*line);
	}
	return NULL;
}

/* Expects that the line with this text is as the pattern says; in it, WORKSPACE is the fixture's.
 */
static void
expect_line(const char *name, const char *text, const char *pattern)
{
	char id[ID_TEXT_SIZE];
	g_autofree char *line = line_with(text);
	g_auto(GStrv) parts = g_strsplit(pattern, "WORKSPACE", -1);
	g_autofree char *own = g_strjoinv(base_id_format(&fixture->id, id), parts);
	g_autofree char *whole = g_strconcat("^", own, "$", NULL);

	cr_expect(line && g_regex_match_simple(whole, line, 0, 0), "%s: %s, want %s", name,
	    line ? line : log_logged(), own);
}

#define BY_KEY " key=" UUID " workspace=WORKSPACE address=127\\.0\\.0\\.1"
#define BY_NOBODY " address=127\\.0\\.0\\.1"

Test(log, tells_of_requests)
{
	static const struct {
		struct exchange exchange;
		const char *level, *method, *want; /* from the route on */
	} cases[] = {
	    {{"list", "GET", "/v1/emails?limit=7", NULL, 200}, "info", "GET",
		"/v1/emails status=200 ms=\\d+ in=0 out=[1-9]\\d* rows=\\d+" BY_KEY},
	    {{"email", "GET", "/v1/emails/0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee", NULL, 404}, "info",
		"GET",
		"/v1/emails/\\{id\\} status=404 ms=\\d+ in=0 out=[1-9]\\d* rows=\\d+" BY_KEY},
	    {{"HEAD", "HEAD", "/v1/emails", NULL, 200}, "info", "HEAD",
		"/v1/emails status=200 ms=\\d+ in=0 out=0 rows=\\d+" BY_KEY},
	    {{"send", "POST", "/v1/emails", EMAIL, 201}, "info", "POST",
		"/v1/emails status=201 ms=\\d+ in=[1-9]\\d* out=[1-9]\\d* rows=\\d+" BY_KEY},
	    {{"bad", "POST", "/v1/emails", "{}", 400}, "info", "POST",
		"/v1/emails status=400 ms=\\d+ in=2 out=[1-9]\\d* rows=\\d+" BY_KEY},
	    {{"nobody", "GET", "/v1/emails", NULL, 401, .headers = {"Authorization:"}}, "info",
		"GET", "/v1/emails status=401 ms=\\d+ in=0 out=[1-9]\\d* rows=0" BY_NOBODY},
	    {{"no route", "GET", "/v1/nothing?a=b", NULL, 404}, "info", "GET",
		"none status=404 ms=\\d+ in=0 out=[1-9]\\d* rows=0" BY_NOBODY},
	    {{"no method", "PUT", "/v1/emails", "{}", 405}, "info", "PUT",
		"none status=405 ms=\\d+ in=\\d+ out=[1-9]\\d* rows=0" BY_NOBODY},
	    {{"broken", "GET", "/v1/templates", NULL, 500}, "error", "GET",
		"/v1/templates status=500 ms=\\d+ in=0 out=[1-9]\\d* rows=\\d+" BY_KEY},
	    {{"token", "GET", "/t/c/abcdefghijklmnopqrstuvwxyz", NULL, 404}, "info", "GET",
		"/t/c/\\{token\\} status=404 ms=\\d+ in=0 out=\\d+ rows=\\d+" BY_NOBODY},
	    {{"provider", "POST", "/in/ses/abcdefghijklmnopqrstuvwxyz", "{}", 404}, "info", "POST",
		"/in/\\{provider\\}/\\{token\\} status=404 ms=\\d+ in=\\d+ out=\\d+ "
		"rows=\\d+" BY_NOBODY},
	};

	begin_file();
	ALONE_SET(fixture, to, "log.level=info");
	test_db_plain(fixture->db, "RENAME TABLE template TO template_away");
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct exchange exchange = cases[i].exchange;
		g_autofree char *header = g_strdup_printf("X-Request-Id: own-%u.", i);
		g_autofree char *text = g_strdup_printf("request_id=own-%u. ", i);
		g_autofree char *want =
		    g_strdup_printf(HEAD "%s program=posthouse\\.fcgi pid=\\d+ event=request "
					 "request_id=own-%u\\. method=%s route=%s",
			cases[i].level, i, cases[i].method, cases[i].want);

		exchange.headers[exchange.headers[0] ? 1 : 0] = header;
		answer_free(exchange_expect(fixture, &exchange));
		expect_line(exchange.name, text, want);
	}
	test_db_plain(fixture->db, "RENAME TABLE template_away TO template");
	g_autofree char *all = log_logged();
	cr_expect_not(strstr(all, "abcdefghij"), "a token");
	cr_expect_not(strstr(all, "limit"), "a query string");
	cr_expect_not(strstr(all, fixture->key), "a key");
}

/* Requests under /resend have ids of ours. */
Test(log, tells_of_the_other_front)
{
	const struct exchange exchange = {"list", "GET", "/resend/emails?limit=9", NULL, 200};

	begin_file();
	ALONE_SET(fixture, to, "log.level=info");
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	g_autofree char *id = answer_header(answer, "X-Request-Id");
	expect_line("resend", id ? id : "?",
	    HEAD "info program=posthouse\\.fcgi pid=\\d+ event=request request_id=" UUID
		 " method=GET route=/resend/emails status=200 ms=\\d+ in=0 out=[1-9]\\d* "
		 "rows=\\d+" BY_KEY);
}

Test(log, tells_of_errors_alone_at_that_level)
{
	static const struct exchange good = {"good", "GET", "/v1/emails", NULL, 200};
	static const struct exchange broken = {"broken", "GET", "/v1/templates", NULL, 500};

	begin_file();
	ALONE_SET(fixture, to, "log.level=error");
	test_db_plain(fixture->db, "RENAME TABLE template TO template_away");
	answer_free(exchange_expect(fixture, &good));
	answer_free(exchange_expect(fixture, &broken));
	test_db_plain(fixture->db, "RENAME TABLE template_away TO template");
	g_free(line_with("status=500"));
	g_autofree char *all = log_logged();
	cr_expect_not(strstr(all, "status=200"), "%s", all);
	cr_expect_not(strstr(all, "level=info") || strstr(all, "level=warning"), "%s", all);
}

#define FIFTY "01234567890123456789012345678901234567890123456789"
#define LONG_REPLY                                                                                 \
	"550-5.1.1 <bounced@x.org> " FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY                     \
	"\r\n550 5.1.1 " FIFTY FIFTY FIFTY FIFTY FIFTY FIFTY

static const struct smtp_script attempts = {.extensions = "ENHANCEDSTATUSCODES",
    .rules = {REPLY("RCPT TO:<delayed@*", 0, "451 4.2.1 try <delayed@x.org> later"),
	REPLY("RCPT TO:<bounced@*", 0, LONG_REPLY), REPLY(".", 2, "554 5.7.1 no \"x\"")}};

/* Sends to four recipients, with the log as more says. */
static void
http_log_attempt(struct smtp_server *server, const char *more)
{
	g_autofree char *port = g_strdup_printf("smtp.port=%u", smtp_server_port(server));

	begin_file();
	ALONE_SET(fixture, to, "log.level=info", port, "smtp.timeout=60", "smtp.final=no", more);
	g_free(email_send(fixture, "'to':['sent@X.org','delayed@x.org','bounced@x.org'],"
				   "'subject':'Zimtstern','html':'<p>Lebkuchen</p>'"));
	g_free(email_send(fixture, "'to':'failed@x.org'"));
}

#define ATTEMPT(program)                                                                           \
	" program=" program " pid=\\d+ event=attempt email=" UUID " copy=" UUID                    \
	" relay=127\\.0\\.0\\.1:\\d+ domain="

Test(log, tells_of_attempts)
{
	struct smtp_server *server = smtp_server_start(&attempts);

	http_log_attempt(server, "log.addresses=whole");
	expect_line("sent", "to=sent@",
	    HEAD "info" ATTEMPT("posthouse\\.fcgi") "X?x?\\.org to=sent@X?x?\\.org result=sent "
						    "code=250 .*ms=\\d+");
	expect_line("delayed", "to=delayed@",
	    HEAD
	    "warning" ATTEMPT("posthouse\\.fcgi") "x\\.org to=delayed@x\\.org result=delayed "
						  "code=451 enhanced=4\\.2\\.1 "
						  "reply=\"try <delayed@x\\.org> later\" ms=\\d+");
	expect_line("bounced", "to=bounced@",
	    HEAD "warning" ATTEMPT(
		"posthouse\\.fcgi") "x\\.org to=bounced@x\\.org result=bounced "
				    "code=550 enhanced=5\\.1\\.1 "
				    "reply=\"<bounced@x\\.org> [ \\d]{484}\" ms=\\d+");
	expect_line("failed", "to=failed@",
	    HEAD "warning" ATTEMPT("posthouse\\.fcgi") "x\\.org to=failed@x\\.org result=failed "
						       "code=554 enhanced=5\\.7\\.1 "
						       "reply=\"no \\\\\"x\\\\\"\" ms=\\d+");
	g_autofree char *all = log_logged();
	cr_expect_not(strstr(all, "Zimtstern") || strstr(all, "Lebkuchen"), "%s", all);
	smtp_server_free(server);
}

Test(log, hides_addresses)
{
	static const struct {
		const char *setting, *want;
	} cases[] = {
	    {"log.addresses=hashed",
		"x\\.org to=h:[0-9a-f]{16} result=delayed code=451 "
		"enhanced=4\\.2\\.1 reply=\"try <h:[0-9a-f]{16}> later\" ms=\\d+"},
	    {"log.addresses=none", "x\\.org result=delayed code=451 enhanced=4\\.2\\.1 "
				   "reply=\"try <-> later\" ms=\\d+"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct smtp_server *server = smtp_server_start(&attempts);
		g_autofree char *want =
		    g_strconcat(HEAD "warning" ATTEMPT("posthouse\\.fcgi"), cases[i].want, NULL);

		http_log_attempt(server, cases[i].setting);
		expect_line(cases[i].setting, "result=delayed", want);
		g_free(line_with("result=failed"));
		g_autofree char *all = log_logged();
		cr_expect_not(strchr(all, '@'), "%s: %s", cases[i].setting, all);
		smtp_server_free(server);
	}
}

/* Their relay is called test. */
Test(log, tells_of_attempts_at_test_addresses)
{
#define TESTED(level, name, result)                                                                \
	HEAD level " program=posthouse\\.fcgi pid=\\d+ event=attempt email=" UUID " copy=" UUID    \
		   " relay=test domain=test\\.posthouse\\.invalid "                                \
		   "to=" name "@test\\.posthouse\\.invalid result=" result                         \
		   " (?:reply=\"test address\" )?ms=0"
	begin_file();
	ALONE_SET(fixture, to, "log.level=info", "log.addresses=whole");
	g_free(email_send(fixture, "'to':['delivered@test.posthouse.invalid',"
				   "'bounced@test.posthouse.invalid',"
				   "'delayed@test.posthouse.invalid']"));
	expect_line("sent", "to=delivered@", TESTED("info", "delivered", "sent"));
	expect_line("bounced", "to=bounced@",
	    TESTED("warning", "bounced", "bounced code=550 enhanced=5\\.1\\.1"));
	expect_line("delayed", "to=delayed@",
	    TESTED("warning", "delayed", "delayed code=450 enhanced=4\\.2\\.0"));
}

/* A request that went well is told at info alone. */
Test(log, tells_of_attempts_that_failed_by_default)
{
	struct smtp_server *server = smtp_server_start(&attempts);

	http_log_attempt(server, "log.level=warning");
	g_free(line_with("result=failed"));
	g_autofree char *all = log_logged();
	cr_expect(strstr(all, "result=bounced"));
	cr_expect_not(strstr(all, "result=sent"), "%s", all);
	cr_expect_not(strstr(all, "event=request"), "%s", all);
	smtp_server_free(server);
}

/* The first process of the pool: the parent of the one that wrote the log's first line. */
static pid_t
pool(void)
{
	g_autofree char *line = line_with("posthouse.fcgi");
	const char *at = line ? strstr(line, "pid") : NULL;
	g_autofree char *file = NULL, *text = NULL;

	cr_assert(at, "no line");
	file =
	    g_strdup_printf("/proc/%ld/status", strtol(at + strcspn(at, "0123456789"), NULL, 10));
	cr_assert(g_file_get_contents(file, &text, NULL, NULL), "%s", file);
	at = strstr(text, "PPid:");
	return (pid_t)strtol(at + strlen("PPid:"), NULL, 10);
}

#define ROUNDS 5
#define EACH 8

static void
log_ask(guint number)
{
	g_autofree char *header = g_strdup_printf("X-Request-Id: ask-%u.", number);
	const struct exchange exchange = {
	    "list", "GET", "/v1/emails", NULL, 200, .headers = {header}};

	answer_free(exchange_expect(fixture, &exchange));
}

/* The files that were replaced, and the last one. */
static char *
all_files(void)
{
	GString *all = g_string_new(NULL);

	for (guint round = 0; round < ROUNDS; round++) {
		g_autofree char *old = g_strdup_printf("%s.%u", path, round), *text = NULL;

		cr_assert(g_file_get_contents(old, &text, NULL, NULL));
		g_string_append(all, text);
	}
	g_autofree char *last = log_logged();
	g_string_append(all, last);
	return g_string_free(all, FALSE);
}

/* Waits until each request has its line in one of the files: it is written after the answer. */
static void
wait_for_lines(guint count)
{
	gint64 end = g_get_monotonic_time() / 1000 + WAIT_MS;

	for (guint i = 0; i < count; i++) {
		g_autofree char *id = g_strdup_printf("\"ask-%u.\"", i);
		bool found = false;

		while (!found) {
			g_autofree char *all = all_files();

			found = strstr(all, id);
			cr_assert(found || g_get_monotonic_time() / 1000 < end, "no line %s", id);
			if (!found)
				g_usleep(5000);
		}
	}
}

/* Each line is in one of the files, whichever was open when it was written. */
Test(log, loses_no_line_while_its_file_is_replaced)
{
	guint number = 0;

	begin_file();
	ALONE_SET(fixture, to, "log.level=info", "log.format=json");
	for (guint round = 0; round < ROUNDS; round++) {
		g_autofree char *old = g_strdup_printf("%s.%u", path, round);

		for (guint i = 0; i < EACH; i++)
			log_ask(number++);
		pid_t leader = pool();
		cr_assert(g_rename(path, old) == 0);
		cr_assert(kill(leader, SIGHUP) == 0);
		while (!g_file_test(path, G_FILE_TEST_EXISTS))
			g_usleep(5000);
	}
	GStatBuf status;
	cr_expect(g_stat(path, &status) == 0 && (status.st_mode & 0777) == 0640);
	log_ask(number);
	g_autofree char *text = g_strdup_printf("\"ask-%u.\"", number);
	g_autofree char *line = line_with(text);
	wait_for_lines(number + 1);
	/* JSON: numbers are numbers. */
	cr_expect(
	    g_regex_match_simple("^\\{\"time\":\"[^\"]+Z\",\"level\":\"info\",\"program\":"
				 "\"posthouse\\.fcgi\",\"pid\":\\d+,\"event\":\"request\","
				 "\"request_id\":\"ask-\\d+\\.\",\"method\":\"GET\",\"route\":"
				 "\"/v1/emails\",\"status\":200,\"ms\":\\d+,\"in\":0,\"out\":"
				 "\\d+,\"rows\":\\d+,\"key\":\"" UUID "\",\"workspace\":\"" UUID
				 "\",\"address\":\"127\\.0\\.0\\.1\"\\}$",
		line, 0, 0),
	    "%s", line);
}

/* How often a file has this text. */
static guint
count_in(const char *file, const char *text)
{
	g_autofree char *all = NULL;

	if (!g_file_get_contents(file, &all, NULL, NULL))
		return 0;
	g_auto(GStrv) parts = g_strsplit(all, text, -1);
	return g_strv_length(parts) - (*all != '\0');
}

/* The spool opens its file anew, too. */
Test(log, is_opened_anew_by_the_spool)
{
	g_autofree char *program =
	    g_build_filename(fixture->instance->bin, "posthouse-spool", NULL);
	const char *const argv[] = {program, "--for", "0", NULL};
	g_autoptr(GError) error = NULL;
	g_autofree char *old = NULL;
	GPid spool;

	begin_file();
	old = g_strconcat(path, ".old", NULL);
	ALONE_SET(fixture, to, "log.level=info", "log.addresses=whole", "service.mode=spool");
	g_setenv("POSTHOUSE_CONFIG", fixture->instance->config, TRUE);
	cr_assert(g_spawn_async(
	    NULL, (char **)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &spool, &error));
	g_free(email_send(fixture, "'to':'first@x.org'"));
	expect_line("first", "to=first@",
	    HEAD "info" ATTEMPT("posthouse-spool") "x\\.org to=first@x\\.org result=sent .*");
	cr_assert(g_rename(path, old) == 0);
	cr_assert(kill(spool, SIGHUP) == 0);
	/* A worker that does not know of the signal yet writes into the old file. */
	guint sent = 0;
	do {
		g_free(email_send(fixture, "'to':'second@x.org'"));
		sent++;
		while (count_in(path, "to=second@") + count_in(old, "to=second@") < sent)
			g_usleep(5000);
	} while (count_in(path, "to=second@") == 0 && sent < 100);
	expect_line("second", "to=second@",
	    HEAD "info" ATTEMPT("posthouse-spool") "x\\.org to=second@x\\.org result=sent .*");
	kill(spool, SIGTERM);
	waitpid(spool, NULL, 0);
}

Test(log, speaks_to_syslog)
{
	static const struct exchange exchange = {
	    "list", "GET", "/v1/emails", NULL, 200, .headers = {"X-Request-Id: by-syslog"}};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	g_autofree char *socket_path = g_build_filename(fixture->instance->dir, "syslog", NULL);
	g_autofree char *setting = g_strconcat("log.socket=", socket_path, NULL);
	char line[4096] = "";
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	g_strlcpy(address.sun_path, socket_path, sizeof(address.sun_path));
	cr_assert(bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
	ALONE_SET(fixture, "log.to=syslog", setting, "log.level=info");
	answer_free(exchange_expect(fixture, &exchange));
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	while (!strstr(line, "by-syslog") && poll(&wait, 1, WAIT_MS) > 0) {
		ssize_t size = recv(fd, line, sizeof(line) - 1, 0);
		line[MAX(size, 0)] = '\0';
	}
	cr_expect(
	    g_regex_match_simple("^<22>1 \\S+Z \\S+ posthouse\\.fcgi \\d+ request - time=\\S+ "
				 "level=info program=posthouse\\.fcgi pid=\\d+ event=request "
				 "request_id=by-syslog .*[^\n]$",
		line, 0, 0),
	    "%s", line);
	close(fd);
}

Test(log, tells_what_providers_report)
{
	AUTO(service) service = service_open(fixture->settings);
	struct feedback_provider_added added;
	g_autoptr(GError) error = NULL;
	char metrics[2000];

	begin_file();
	ALONE_SET(fixture, to, "log.level=info");
	cr_assert(service_ensure(service, &error), "%s", error ? error->message : "");
	cr_assert(feedback_provider_add(service, PROVIDER_BREVO, "a", NULL, &added, &error));
	g_autofree char *right = g_strconcat("Authorization: Bearer ", added.secret, NULL);
	const char *url = strstr(added.url, "/in/");
	const struct exchange exchanges[] = {
	    {"unmatched", "POST", url, "[{'event':'delivered','email':'a@x.org'},{'event':'x'}]",
		200, .headers = {right, "X-Request-Id: first."}},
	    {"refused", "POST", url, "{}", 403,
		.headers = {"Authorization: Bearer x", "X-Request-Id: second."}},
	    {"no JSON", "POST", url, "{", 400, .headers = {right, "X-Request-Id: third."}},
	};

	EXPECT_ALL(fixture, exchanges);
	expect_line("taken", "event=provider request_id=first. ",
	    HEAD "info program=posthouse\\.fcgi pid=\\d+ event=provider request_id=first\\. "
		 "provider=brevo relay=a status=200 received=2 recorded=0");
	expect_line("refused", "event=provider request_id=second. ",
	    HEAD "warning program=posthouse\\.fcgi pid=\\d+ event=provider request_id=second\\. "
		 "provider=brevo relay=a status=403");
	expect_line("no JSON", "event=provider request_id=third. ",
	    HEAD "warning program=posthouse\\.fcgi pid=\\d+ event=provider request_id=third\\. "
		 "provider=brevo relay=a status=400");
	g_autofree char *all = log_logged();
	cr_expect_not(strstr(all, added.secret) || strstr(all, strrchr(url, '/') + 1), "%s", all);
	/* The workers add what they have counted when they end. */
	ALONE_SET(fixture, NULL);
	g_autofree char *shown = TEST_RUN(fixture->instance, "posthouse", "metrics");
	static const struct {
		const char *result;
		guint count;
	} counts[] = {{"unmatched", 1}, {"ignored", 1}, {"refused", 2}};
	for (guint i = 0; i < G_N_ELEMENTS(counts); i++) {
		g_snprintf(metrics, sizeof(metrics),
		    "\nposthouse_provider_events_total{provider=\"brevo\",relay=\"a\",result=\"%"
		    "s\"} "
		    "%u\n",
		    counts[i].result, counts[i].count);
		cr_expect(strstr(shown, metrics), "no %s in %s", metrics, shown);
	}
	feedback_provider_added_clear(&added);
}
