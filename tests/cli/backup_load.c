/* SPDX-License-Identifier: MIT */
/* Tests that a backup of an installation that works loses no email, and sends none twice. */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/cli/program.h"
#include "tests/lib/fixture.h"
#include "tests/lib/posting.h"
#include "tests/support/mariadb.h"
#include "tests/support/program.h"

#define EMAILS 150
#define WAIT_MS 120000

TestSuite(backup_load, .timeout = 900);

/* The relay takes its time, so that the backup comes in the middle. */
static const struct smtp_script slow = {.rules = {{".", 0, NULL, THEN_GO_ON, 5}}};
static const struct smtp_script quick = {.extensions = NULL};

static char *
config_of(const char *name)
{
	return g_strdup_printf("%s/%s_%d.conf", test_mariadb_dir(NULL), name, (int)getpid());
}

static struct test_program *
start_spool(const char *config)
{
	return test_program_start(
	    (const char *const[]){"posthouse-spool", "--config", config, "--once", NULL}, NULL, -1,
	    -1);
}

/* Counts how often each recipient, r0@x.org and so on, got the message. */
static void
backup_load_count_mails(struct smtp_server *relay, guint *counts)
{
	smtp_server_stop(relay);
	for (guint i = 0; i < smtp_server_count(relay); i++) {
		const struct smtp_mail *mail = smtp_server_mail(relay, i);
		guint number = (guint)atoi(strstr(mail->recipients->pdata[0], "<r") + 2);

		cr_assert_lt(number, EMAILS);
		counts[number]++;
	}
}

/* Counts the recipients whose messages are held. */
static void
count_held(const char *name, guint *counts)
{
	for (guint i = 0; i < EMAILS; i++) {
		g_autofree char *held = test_mariadb_sql(NULL,
		    "SELECT COUNT(*) FROM `%s`.outbox o JOIN `%s`.recipient r ON r.email_id = "
		    "o.email_id"
		    " WHERE o.ready_at IS NULL AND r.address = 'r%u@x.org'",
		    name, name, i);
		counts[i] += (guint)atoi(held);
	}
}

/* Waits until the relay has a message; a machine with much other work takes its time. */
static void
wait_for_mail(struct smtp_server *relay)
{
	for (guint tries = 0; tries < 12; tries++)
		if (smtp_server_wait(relay, "."))
			return;
	cr_assert_fail("no message has come");
}

/* An installation that sends; its backup comes when some of it has left, while it works or after it
   was killed. Another installation then goes on. */
static void
backup_load_move(bool has_stopped)
{
	AUTO(fixture) fixture = fixture_open(&slow, NULL);
	AUTO(smtp_server) relay = smtp_server_start(&quick);
	g_autofree char *old = config_of("core"),
			*more = g_strdup_printf(
			    "[smtp]\nhost = 127.0.0.1\nport = %u\ntls = none\nuncertain = hold\n",
			    smtp_server_port(relay));
	g_autofree char *name = g_strdup_printf("moved_%d", (int)getpid());
	g_autofree char *new = test_mariadb_file(NULL, name, more);
	g_autofree char *dir =
	    g_strdup_printf("%s/moving-%d", test_mariadb_dir(NULL), (int)getpid());
	g_autofree char *backup = g_strdup_printf("backup %s", dir);
	g_autofree char *restore =
	    g_strdup_printf("restore %s%s", dir, has_stopped ? " --stopped" : "");
	guint sent[EMAILS] = {0}, held[EMAILS] = {0}, held_count = 0;

	for (guint i = 0; i < EMAILS; i++) {
		g_autofree char *address = g_strdup_printf("r%u@x.org", i);
		posting_submit(fixture, address);
	}
	AUTO(test_program) spool = start_spool(old);
	wait_for_mail(fixture->relay);
	if (has_stopped)
		test_program_signal(spool, SIGKILL);
	program_expect(old, backup, 0, "The backup of *\n", NULL);
	cr_assert_neq(test_program_wait(spool, WAIT_MS), -1);
	program_expect(new, restore, 0, "The backup of * is restored. *held*\n", NULL);
	AUTO(test_program) next = start_spool(new);
	cr_assert_eq(test_program_wait(next, WAIT_MS), 0);
	backup_load_count_mails(fixture->relay, sent);
	backup_load_count_mails(relay, sent);
	count_held(name, held);
	for (guint i = 0; i < EMAILS; i++) {
		cr_expect_leq(sent[i], 1, "r%u: sent %u times", i, sent[i]);
		cr_expect_geq(sent[i] + held[i], 1, "r%u is lost", i);
		held_count += held[i];
	}
	/* Each session that was open has one message whose outcome nobody knows. */
	if (has_stopped)
		cr_expect_leq(
		    held_count, smtp_server_connections(fixture->relay), "%u are held", held_count);
	fixture->is_altered = true;
}

Test(backup_load, sends_nothing_twice_while_it_works)
{
	backup_load_move(false);
}

Test(backup_load, sends_everything_after_it_has_stopped)
{
	backup_load_move(true);
}
