/* SPDX-License-Identifier: MIT */
/* The journal of what was sent and not yet recorded. */
#include "core/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault.h"
#include "core/journal_record.h"
#include "smtp/session.h"

#define SUFFIX ".journal"
#define HOST_FILE "host"
/* The largest done record: each of 150 recipients with the longest text. */
#define ROOM (128 * 1024)

struct core_journal {
	int fd;
	char *path;
	char *owner;
	gint64 size;
	gint64 reserved; /* on disk, up to here */
};

static bool
fail(GError **error, const char *what, const char *path)
{
	int code = errno;

	g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
	    "cannot %s %s: %s; nothing is sent until it can be written", what, path,
	    g_strerror(code));
	return false;
}

/* The name that this machine has in this directory: made once, by whoever comes first. */
static char *
host_of(const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, HOST_FILE, NULL);
	char text[ID_TEXT_SIZE] = "";
	struct base_id id = base_id_new();
	int fd;

	for (guint tries = 0; tries < 2; tries++) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			bool got = read(fd, text, ID_TEXT_SIZE - 1) == ID_TEXT_SIZE - 1 &&
				   base_id_parse(text, &id);
			close(fd);
			if (got)
				return g_strdup(text);
		}
		/* Written beside it and linked into place, so that nobody reads half of it. */
		g_autofree char *draft = g_strdup_printf("%s.%d", path, (int)getpid());
		fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (fd < 0)
			break;
		bool written =
		    write(fd, base_id_format(&id, text), ID_TEXT_SIZE - 1) == ID_TEXT_SIZE - 1;
		close(fd);
		if (!written || (link(draft, path) != 0 && errno != EEXIST)) {
			unlink(draft);
			break;
		}
		unlink(draft);
	}
	fail(error, "write", path);
	return NULL;
}

/* Over the one that stood there. Its place was written when the file was made, so that it is there
   on a full disk too; and so little is written whole or not at all, whatever kills the process. */
static bool
mark(int fd, enum core_record_type type, const struct base_id *id, gint64 token)
{
	static const struct base_id none;
	g_autoptr(GByteArray) record = core_journal_record(type, id ? id : &none, token);

	return pwrite(fd, record->data, record->len, 0) == JOURNAL_MARK_SIZE;
}

void
core_journal_compose(struct core_journal *journal, const struct base_id *copy, gint64 token)
{
	mark(journal->fd, RECORD_COMPOSE, copy, token);
}

void
core_journal_step(struct core_journal *journal, const struct base_id *execution)
{
	mark(journal->fd, RECORD_STEP, execution, 0);
}

void
core_journal_idle(struct core_journal *journal)
{
	mark(journal->fd, RECORD_IDLE, NULL, 0);
}

struct core_journal *
core_journal_open(const char *dir, GError **error)
{
	struct base_id id = base_id_new();
	char text[ID_TEXT_SIZE];
	g_autofree char *host = host_of(dir, error);

	if (!host)
		return NULL;
	g_autofree char *owner = g_strdup_printf("%s.%s", host, base_id_format(&id, text));
	g_autofree char *name = g_strconcat(owner, SUFFIX, NULL);
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autofree char *draft = g_strconcat(path, ".new", NULL);
	/* It gets its name only once it is locked: nobody takes it for one whose owner is gone. */
	int fd = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		fail(error, "create", draft);
		return NULL;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || !mark(fd, RECORD_IDLE, NULL, 0) ||
	    rename(draft, path) != 0) {
		fail(error, "begin", draft);
		unlink(draft);
		close(fd);
		return NULL;
	}
	struct core_journal *journal = g_new0(struct core_journal, 1);
	journal->fd = fd;
	journal->path = g_steal_pointer(&path);
	journal->owner = g_steal_pointer(&owner);
	journal->size = JOURNAL_MARK_SIZE;
	return journal;
}

const char *
core_journal_owner(const struct core_journal *journal)
{
	return journal->owner;
}

static bool
append(struct core_journal *journal, const GByteArray *record, GError **error)
{
	ssize_t written;

	do
		written = pwrite(journal->fd, record->data, record->len, journal->size);
	while (written < 0 && errno == EINTR);
	if (written == (ssize_t)record->len) {
		journal->size += written;
		return true;
	}
	/* What follows a torn record would not be read. */
	int code = written < 0 ? errno : ENOSPC;
	if (written > 0 && ftruncate(journal->fd, journal->size) != 0)
		code = errno;
	errno = code;
	return fail(error, "write", journal->path);
}

bool
core_journal_claim(
    struct core_journal *journal, const struct base_id *copy, gint64 token, GError **error)
{
	g_autoptr(GByteArray) record = core_journal_record(RECORD_CLAIM, copy, token);

	return append(journal, record, error);
}

static bool
reserve(struct core_journal *journal, gint64 size)
{
	if (journal->size + size <= journal->reserved)
		return true;
	if (fallocate(journal->fd, FALLOC_FL_KEEP_SIZE, journal->size, 4 * ROOM) != 0 &&
	    errno != EOPNOTSUPP)
		return false;
	journal->reserved = journal->size + 4 * ROOM;
	return true;
}

bool
core_journal_data(
    struct core_journal *journal, const struct base_id *copy, gint64 token, GError **error)
{
	g_autoptr(GByteArray) record = core_journal_record(RECORD_DATA, copy, token);

	FAULT("journal-data-before");
	if (!reserve(journal, record->len + ROOM))
		return fail(error, "write", journal->path);
	bool done = append(journal, record, error);
	FAULT("journal-data-after");
	return done;
}

bool
core_journal_done(struct core_journal *journal, const struct base_id *copy, gint64 token,
    gint64 finished, const struct smtp_message *message, const guint16 *numbers, GError **error)
{
	g_autoptr(GByteArray) record =
	    core_journal_record_done(copy, token, finished, message, numbers);

	FAULT("journal-done-before");
	bool done = append(journal, record, error);
	FAULT("journal-done-after");
	return done;
}

void
core_journal_cut(struct core_journal *journal)
{
	FAULT("journal-cut-before");
	if (journal->size > JOURNAL_MARK_SIZE && ftruncate(journal->fd, JOURNAL_MARK_SIZE) == 0)
		journal->size = journal->reserved = JOURNAL_MARK_SIZE;
	FAULT("journal-cut-after");
}

static void
release(struct core_journal *journal)
{
	close(journal->fd);
	g_free(journal->path);
	g_free(journal->owner);
	g_free(journal);
}

void
core_journal_close(struct core_journal *journal)
{
	unlink(journal->path);
	release(journal);
}

void
core_journal_abandon(struct core_journal *journal)
{
	release(journal);
}

static bool
read_all(int fd, GByteArray *bytes)
{
	guint8 buffer[65536];
	ssize_t got;

	while ((got = read(fd, buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			g_byte_array_append(bytes, buffer, (guint)got);
	return got == 0;
}

/* A journal of this name whose lock is free, and that is still there under it. */
static struct core_journal *
take(const char *dir, const char *name)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat ours, there;

	if (fd < 0)
		return NULL;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &ours) != 0 || stat(path, &there) != 0 ||
	    ours.st_ino != there.st_ino) {
		close(fd);
		return NULL;
	}
	struct core_journal *journal = g_new0(struct core_journal, 1);
	journal->fd = fd;
	journal->path = g_steal_pointer(&path);
	journal->owner = g_strndup(name, strlen(name) - strlen(SUFFIX));
	journal->size = ours.st_size;
	return journal;
}

struct core_journal *
core_journal_next(const char *dir, GPtrArray **entries_r)
{
	g_autoptr(GDir) listing = g_dir_open(dir, 0, NULL);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	const char *name;

	while (listing && (name = g_dir_read_name(listing))) {
		struct core_journal *journal =
		    g_str_has_suffix(name, SUFFIX) ? take(dir, name) : NULL;

		if (!journal)
			continue;
		if (read_all(journal->fd, bytes)) {
			*entries_r = core_journal_record_read(bytes->data, bytes->len);
			return journal;
		}
		core_journal_abandon(journal);
		g_byte_array_set_size(bytes, 0);
	}
	return NULL;
}

enum core_journal_owner
core_journal_ask(const char *dir, const char *owner)
{
	g_autofree char *host = host_of(dir, NULL);
	g_autofree char *name = g_strconcat(owner, SUFFIX, NULL);
	g_autofree char *path = g_build_filename(dir, name, NULL);

	if (!host || !g_str_has_prefix(owner, host))
		return OWNER_FOREIGN;
	return access(path, F_OK) == 0 ? OWNER_LIVES : OWNER_GONE;
}
