/* SPDX-License-Identifier: MIT */
#include "service/journal.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "smtp/session.h"
#include "tests/support/settings.h"

static void
journal_remove_dir(char *dir)
{
	g_autoptr(GDir) listing = g_dir_open(dir, 0, NULL);
	const char *name;

	while (listing && (name = g_dir_read_name(listing))) {
		g_autofree char *path = g_build_filename(dir, name, NULL);
		unlink(path);
	}
	cr_expect_eq(rmdir(dir), 0);
	g_free(dir);
}

static struct service_journal *
open_journal(const char *dir)
{
	g_autoptr(GError) error = NULL;
	struct service_journal *journal = service_journal_open(dir, &error);

	cr_assert(journal, "%s", error ? error->message : "");
	return journal;
}

static char *
journal_path_of(const char *dir, const struct service_journal *journal)
{
	return g_strdup_printf("%s/%s.journal", dir, service_journal_owner(journal));
}

/* The entries of a journal, a line for each. */
static char *
journal_describe(const GPtrArray *entries)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < entries->len; i++) {
		const struct service_journal_entry *entry = entries->pdata[i];

		g_string_append_printf(text, "%" G_GINT64_FORMAT "%s%s%s%s", entry->token,
		    entry->composing ? " composing" : "", entry->stepping ? " stepping" : "",
		    entry->data ? " data" : "", entry->done ? " done" : "");
		for (guint j = 0; j < entry->replies->len; j++) {
			const struct service_journal_reply *reply =
			    &g_array_index(entry->replies, struct service_journal_reply, j);
			g_string_append_printf(text, " [%u %u %u %d %s %s]", reply->number,
			    reply->outcome, reply->stage, reply->code, reply->enhanced,
			    reply->text);
		}
		g_string_append_c(text, '\n');
	}
	return g_string_free(text, FALSE);
}

static const struct base_id email = {{'e'}};

/* Three entries of an email: one only claimed, one whose final dot may have gone out, one that was
 * answered. */
static struct service_journal *
write_three(const char *dir)
{
	struct service_journal *journal = open_journal(dir);
	struct base_id ids[] = {base_id_new(), base_id_new(), base_id_new()};
	char first[] = "queued", second[] = "no such user";
	struct smtp_recipient recipients[] = {
	    {"a@x.org", false, SMTP_SENT, SMTP_STAGE_DATA, 250, "2.0.0", first},
	    {"b@x.org", false, SMTP_PERMANENT, SMTP_STAGE_RCPT, 550, "5.1.1", second},
	};
	struct smtp_message message = {"s@x.org", recipients, 2, NULL, false, NULL};

	for (gint64 i = 0; i < 3; i++)
		cr_assert(service_journal_claim(journal, &email, &ids[i], i + 1, NULL));
	cr_assert(service_journal_data(journal, &ids[1], 2, "one", NULL));
	cr_assert(service_journal_data(journal, &ids[2], 3, "one", NULL));
	cr_assert(service_journal_done(journal,
	    &(struct service_journal_ending){
		&ids[2], 3, 1700000000000, &message, (const guint16[]){4, 9}, "one"},
	    NULL));
	return journal;
}

static const char *const three = "1\n2 data\n3 data done [4 1 3 250 2.0.0 queued]"
				 " [9 2 2 550 5.1.1 no such user]\n";

Test(journal, gives_back_what_stands_in_it_once_its_owner_is_gone)
{
	char *dir = test_folder_make();
	struct service_journal *journal = write_three(dir);
	g_autofree char *path = journal_path_of(dir, journal);
	GPtrArray *entries = NULL;
	struct stat status;

	cr_assert_eq(stat(path, &status), 0);
	cr_expect_eq(status.st_mode & 0777, 0600, "mode %o", status.st_mode & 0777);
	cr_expect_null(service_journal_next(dir, &entries), "its owner lives");
	service_journal_abandon(journal);
	journal = service_journal_next(dir, &entries);
	cr_assert(journal);
	g_autofree char *got = journal_describe(entries);
	cr_expect_str_eq(got, three, "got %s, want %s", got, three);
	g_ptr_array_unref(entries);
	service_journal_close(journal);
	cr_expect_null(service_journal_next(dir, &entries), "it is closed and gone");
	cr_expect_neq(access(path, F_OK), 0);
	journal_remove_dir(dir);
}

/* A backup has what may have been sent, with its emails. */
Test(journal, gives_a_backup_what_may_have_been_sent)
{
	char *dir = test_folder_make(), *other = test_folder_make();
	struct service_journal *journal = write_three(dir);
	g_autoptr(GBytes) sent = service_journal_sent(dir);
	GPtrArray *read;

	cr_assert(service_journal_restore(other, sent, NULL));
	struct service_journal *restored = service_journal_next(other, &read);
	cr_assert(restored);
	g_autoptr(GPtrArray) entries = read;
	g_autofree char *got = journal_describe(entries);
	cr_expect(g_str_has_suffix(three, got) && g_str_has_prefix(got, "2 "), "got %s", got);
	for (guint i = 0; i < entries->len; i++) {
		const struct service_journal_entry *entry = entries->pdata[i];

		cr_expect(entry->has_email && base_id_equal(&entry->email, &email));
	}
	service_journal_close(restored);
	service_journal_close(journal);
	journal_remove_dir(other);
	journal_remove_dir(dir);
}

/* A program of an earlier version claims without the email. */
Test(journal, does_not_know_the_email_of_a_record_without_claim)
{
	char *dir = test_folder_make();
	struct service_journal *journal = open_journal(dir);
	struct base_id id = base_id_new();
	GPtrArray *entries;

	cr_assert(service_journal_data(journal, &id, 7, "one", NULL));
	service_journal_abandon(journal);
	journal = service_journal_next(dir, &entries);
	cr_assert(journal);
	cr_expect_not(((const struct service_journal_entry *)entries->pdata[0])->has_email);
	g_ptr_array_unref(entries);
	service_journal_close(journal);
	journal_remove_dir(dir);
}

Test(journal, is_empty_after_it_was_cut)
{
	char *dir = test_folder_make();
	struct service_journal *journal = write_three(dir);
	struct base_id id = base_id_new();
	GPtrArray *entries;

	service_journal_cut(journal);
	cr_assert(service_journal_data(journal, &id, 7, "one", NULL));
	service_journal_abandon(journal);
	journal = service_journal_next(dir, &entries);
	cr_assert(journal);
	g_autofree char *got = journal_describe(entries);
	cr_expect_str_eq(got, "7 data\n", "got %s", got);
	g_ptr_array_unref(entries);
	service_journal_close(journal);
	journal_remove_dir(dir);
}

/* A journal torn or damaged at any place: the records before are read, and none that was never
 * written. */
Test(journal, reads_up_to_the_first_record_that_is_not_whole)
{
	char *dir = test_folder_make();
	struct service_journal *journal = write_three(dir);
	g_autofree char *path = journal_path_of(dir, journal);
	g_autofree char *bytes = NULL;
	gsize size;

	cr_assert(g_file_get_contents(path, &bytes, &size, NULL));
	for (gsize cut = JOURNAL_MARK_SIZE; cut < size; cut++) {
		g_autoptr(GPtrArray) torn = service_journal_read((const guint8 *)bytes, cut);
		g_autofree char *before = journal_describe(torn);

		bytes[cut] ^= 0x10;
		g_autoptr(GPtrArray) damaged = service_journal_read((const guint8 *)bytes, size);
		g_autofree char *after = journal_describe(damaged);
		bytes[cut] ^= 0x10;
		cr_expect_str_neq(after, three, "byte %zu is damaged, and nobody noticed", cut);
		cr_expect_str_neq(before, three, "cut at %zu, and nobody noticed", cut);
		cr_expect(torn->len <= 3 && damaged->len <= torn->len + 1, "cut at %zu", cut);
	}
	service_journal_close(journal);
	journal_remove_dir(dir);
}

/* The journal's text once its owner is gone. */
static char *
journal_read_left(const char *dir, struct service_journal *journal)
{
	GPtrArray *read;

	service_journal_abandon(journal);
	journal = service_journal_next(dir, &read);
	cr_assert(journal);
	g_autoptr(GPtrArray) entries = read;
	service_journal_close(journal);
	return journal_describe(entries);
}

/* A mark is over when the next one is made, and stays when the records go. */
Test(journal, says_what_was_in_hand)
{
	static const struct {
		const char *name;
		const char *acts; /* c, C: compose one of two entries; s: step; i: idle; x: cut */
		const char *want;
	} cases[] = {
	    {"nothing", "", "1\n2\n"},
	    {"composing", "c", "1 composing\n2\n"},
	    {"composing the next", "cC", "2 composing\n1\n"},
	    {"composed", "ci", "1\n2\n"},
	    {"composed and cut", "cix", ""},
	    {"cut while composing", "cx", "1 composing\n"},
	    {"stepping", "s", "0 stepping\n1\n2\n"},
	    {"stepping after composing", "cs", "0 stepping\n1\n2\n"},
	    {"stepped", "cssi", "1\n2\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *dir = test_folder_make();
		struct service_journal *journal = open_journal(dir);
		struct base_id ids[] = {base_id_new(), base_id_new(), base_id_new()};

		for (gint64 n = 0; n < 2; n++)
			cr_assert(service_journal_claim(journal, &ids[n], &ids[n], n + 1, NULL));
		for (const char *act = cases[i].acts; *act; act++) {
			if (*act == 'c' || *act == 'C')
				service_journal_compose(
				    journal, &ids[*act == 'C'], *act == 'C' ? 2 : 1);
			else if (*act == 's')
				service_journal_step(journal, &ids[2]);
			else if (*act == 'i')
				service_journal_idle(journal);
			else
				service_journal_cut(journal);
		}
		g_autofree char *got = journal_read_left(dir, journal);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got\n%swant\n%s", cases[i].name, got, cases[i].want);
		journal_remove_dir(dir);
	}
}

/* A damaged mark hides no record. */
Test(journal, reads_behind_a_damaged_mark)
{
	char *dir = test_folder_make();
	struct service_journal *journal = write_three(dir);
	g_autofree char *path = journal_path_of(dir, journal);
	g_autofree char *bytes = NULL;
	gsize size;

	service_journal_step(journal, &(struct base_id){{7}});
	cr_assert(g_file_get_contents(path, &bytes, &size, NULL));
	/* Behind its type and size. */
	for (gsize at = 8; at < JOURNAL_MARK_SIZE; at++) {
		bytes[at] ^= 0x10;
		g_autoptr(GPtrArray) entries = service_journal_read((const guint8 *)bytes, size);
		g_autofree char *got = journal_describe(entries);
		bytes[at] ^= 0x10;
		cr_expect_str_eq(got, three, "byte %zu: got %s", at, got);
	}
	service_journal_close(journal);
	journal_remove_dir(dir);
}

/* A journal from a version before marks is read like any other. */
Test(journal, reads_one_without_a_mark)
{
	char *dir = test_folder_make();
	struct service_journal *journal = write_three(dir);
	g_autofree char *path = journal_path_of(dir, journal);
	g_autofree char *bytes = NULL;
	gsize size;

	cr_assert(g_file_get_contents(path, &bytes, &size, NULL));
	g_autoptr(GPtrArray) entries = service_journal_read(
	    (const guint8 *)bytes + JOURNAL_MARK_SIZE, size - JOURNAL_MARK_SIZE);
	g_autofree char *got = journal_describe(entries);
	cr_expect_str_eq(got, three, "got %s", got);
	service_journal_close(journal);
	journal_remove_dir(dir);
}

Test(journal, knows_its_own_machine_and_who_lives)
{
	char *dir = test_folder_make(), *other = test_folder_make();
	struct service_journal *journal = open_journal(dir), *foreign = open_journal(other);
	g_autofree char *owner = g_strdup(service_journal_owner(journal));

	cr_expect_eq(service_journal_ask(dir, owner), OWNER_LIVES);
	cr_expect_eq(service_journal_ask(dir, service_journal_owner(foreign)), OWNER_FOREIGN);
	service_journal_close(journal);
	cr_expect_eq(service_journal_ask(dir, owner), OWNER_GONE);
	service_journal_close(foreign);
	journal_remove_dir(dir);
	journal_remove_dir(other);
}

/* The lock goes with the process, however it ends. */
Test(journal, is_free_when_its_owner_is_killed)
{
	char *dir = test_folder_make();
	GPtrArray *entries;
	int ready[2];
	char byte;

	cr_assert_eq(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		write_three(dir);
		cr_assert_eq(write(ready[1], "x", 1), 1);
		pause();
	}
	cr_assert_eq(read(ready[0], &byte, 1), 1);
	cr_expect_null(service_journal_next(dir, &entries), "it lives");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	struct service_journal *journal = service_journal_next(dir, &entries);
	cr_assert(journal, "it was killed");
	g_autofree char *got = journal_describe(entries);
	cr_expect_str_eq(got, three, "got %s", got);
	g_ptr_array_unref(entries);
	service_journal_close(journal);
	journal_remove_dir(dir);
}

Test(journal, says_so_when_there_is_no_folder)
{
	g_autoptr(GError) error = NULL;

	cr_expect_null(service_journal_open("/nonexistent/spool", &error));
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_FAILED));
	cr_expect(strstr(error->message, "/nonexistent/spool"), "got %s", error->message);
}

Test(journal, refuses_to_go_on_when_the_disk_is_full)
{
	char *dir = test_folder_make();
	struct service_journal *journal = open_journal(dir);
	g_autoptr(GError) error = NULL;
	struct rlimit limit = {4096, 4096};
	struct base_id id = base_id_new();
	guint written = 0;

	signal(SIGXFSZ, SIG_IGN);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	while (written < 1000 && service_journal_claim(journal, &id, &id, written, &error))
		written++;
	cr_expect(written > 0 && written < 1000, "%u records went into 4096 bytes", written);
	cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_FAILED));
	cr_expect_not(
	    service_journal_data(journal, &id, 1, "one", NULL), "no room for data and its reply");
	service_journal_abandon(journal);
	GPtrArray *entries;
	journal = service_journal_next(dir, &entries);
	cr_assert(journal);
	cr_expect_eq(
	    entries->len, written, "%u entries are read, %u were written", entries->len, written);
	g_ptr_array_unref(entries);
	service_journal_close(journal);
	journal_remove_dir(dir);
}
