/* SPDX-License-Identifier: MIT */
/* Keeps a local journal of messages that were sent and are not yet recorded in the database.

   Between the relay's reply to the final dot and the COMMIT of the outcome, only the process knows
   that a message was sent. If it dies there, the next owner of the entry would send the message
   again. The journal holds that knowledge outside the process. Each entry gets these records, in
   this order:
   1. RECORD_CLAIM, with the email, when the entry is claimed and before the session works on it.
   2. RECORD_DATA, before the final dot. It reserves the disk space of the next record, so that a
      full disk stops a message before it is sent.
   3. RECORD_DONE, with the reply to each recipient, as soon as the session has read it.
   4. The database commits the outcomes of the batch. Then the records are cut off, all at once.

   A process that dies keeps its file and loses its lock on it. Another process of the machine then
   opens, locks and reads the file (delivery/recover.c). The last record of an entry decides: after
   RECORD_DONE these outcomes are recorded, after RECORD_DATA the outcome is uncertain, and after
   RECORD_CLAIM the message is due again. If that process dies too, the file is read once more. This
   does no harm, since an entry that was recorded has lost its token. */
#include "service/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fault.h"
#include "base/id.h"
#include "base/secret.h"
#include "smtp/session.h"

/* The kinds of records. RECORD_IDLE, RECORD_COMPOSE and RECORD_STEP are marks; a journal has one
   mark, in front. */
enum record_type {
	RECORD_CLAIM = 1,
	RECORD_DATA = 2,
	RECORD_DONE = 3,
	RECORD_IDLE = 4,
	RECORD_COMPOSE = 5,
	RECORD_STEP = 6,
};

/* A record is a head, a payload and a checksum. Numbers are in the machine's byte order, since a
   journal never leaves its machine. */
struct record_head {
	guint32 type;
	guint32 size; /* of payload and checksum */
	struct base_id id;
	gint64 token;
};

struct stored_reply {
	guint16 number;
	guint8 outcome, stage;
	gint16 code;
	guint16 text_size;
	char enhanced[SMTP_ENHANCED_SIZE];
};

#define SUM_SIZE 8

G_STATIC_ASSERT(sizeof(struct record_head) + SUM_SIZE == JOURNAL_MARK_SIZE);

static GByteArray *
journal_begin(enum record_type type, const struct base_id *id, gint64 token)
{
	struct record_head head = {.type = type, .id = *id, .token = token};
	GByteArray *record = g_byte_array_new();

	return g_byte_array_append(record, (const guint8 *)&head, sizeof(head));
}

static GByteArray *
journal_end(GByteArray *record)
{
	guint32 size = (guint32)(record->len - sizeof(struct record_head) + SUM_SIZE);
	guint8 sum[SHA256_SIZE];

	memcpy(record->data + offsetof(struct record_head, size), &size, sizeof(size));
	base_secret_sha256(record->data, record->len, sum);
	return g_byte_array_append(record, sum, SUM_SIZE);
}

static GByteArray *
make_record(enum record_type type, const struct base_id *id, gint64 token)
{
	return journal_end(journal_begin(type, id, token));
}

/* The number of a reply that is none: its text is the name of the relay. */
#define RELAY_NUMBER G_MAXUINT16

static GByteArray *
make_done_record(const struct service_journal_ending *ending)
{
	const struct smtp_message *message = ending->message;
	const char *relay = ending->relay;
	const struct stored_reply name = {
	    .number = RELAY_NUMBER, .text_size = (guint16)strlen(relay)};
	GByteArray *record = journal_begin(RECORD_DONE, ending->id, ending->token);

	g_byte_array_append(record, (const guint8 *)&ending->finished, sizeof(ending->finished));
	for (guint i = 0; i < message->count; i++) {
		const struct smtp_recipient *recipient = &message->recipients[i];
		struct stored_reply reply = {
		    .number = ending->numbers[i],
		    .outcome = (guint8)recipient->outcome,
		    .stage = (guint8)recipient->stage,
		    .code = (gint16)recipient->code,
		    .text_size = recipient->text ? (guint16)strlen(recipient->text) : 0,
		};

		memcpy(reply.enhanced, recipient->enhanced, sizeof(reply.enhanced));
		g_byte_array_append(record, (const guint8 *)&reply, sizeof(reply));
		if (recipient->text)
			g_byte_array_append(
			    record, (const guint8 *)recipient->text, reply.text_size);
	}
	g_byte_array_append(record, (const guint8 *)&name, sizeof(name));
	g_byte_array_append(record, (const guint8 *)relay, name.text_size);
	return journal_end(record);
}

static void
clear_reply(void *reply)
{
	g_free(((struct service_journal_reply *)reply)->text);
}

static void
journal_free_entry(void *data)
{
	struct service_journal_entry *entry = data;

	g_array_unref(entry->replies);
	g_free(entry->relay);
	g_free(entry);
}

static struct service_journal_entry *
journal_entry_of(GPtrArray *entries, const struct record_head *head)
{
	for (guint i = entries->len; i > 0; i--) {
		struct service_journal_entry *entry = entries->pdata[i - 1];

		if (entry->token == head->token && base_id_equal(&entry->id, &head->id))
			return entry;
	}
	struct service_journal_entry *entry = g_new0(struct service_journal_entry, 1);
	entry->id = head->id;
	entry->token = head->token;
	entry->replies = g_array_new(FALSE, TRUE, sizeof(struct service_journal_reply));
	g_array_set_clear_func(entry->replies, clear_reply);
	g_ptr_array_add(entries, entry);
	return entry;
}

static void
read_done(struct service_journal_entry *entry, const guint8 *bytes, gsize size)
{
	gsize at = sizeof(entry->finished);

	if (size < at)
		return;
	memcpy(&entry->finished, bytes, at);
	entry->done = true;
	while (at + sizeof(struct stored_reply) <= size) {
		struct stored_reply stored;

		memcpy(&stored, bytes + at, sizeof(stored));
		at += sizeof(stored);
		if (stored.text_size > size - at)
			break;
		struct service_journal_reply reply = {
		    stored.number, stored.outcome, stored.stage, stored.code, "", NULL};
		memcpy(reply.enhanced, stored.enhanced, sizeof(reply.enhanced) - 1);
		reply.text = g_strndup((const char *)bytes + at, stored.text_size);
		at += stored.text_size;
		if (stored.number == RELAY_NUMBER) {
			g_free(entry->relay);
			entry->relay = reply.text;
			continue;
		}
		g_array_append_val(entry->replies, reply);
	}
}

/* Adds a record to the entry of its id. */
static void
read_record(GPtrArray *entries, const struct record_head *head, const guint8 *payload, gsize size)
{
	if (head->type == RECORD_IDLE)
		return;
	struct service_journal_entry *entry = journal_entry_of(entries, head);
	entry->composing = entry->composing || head->type == RECORD_COMPOSE;
	entry->stepping = entry->stepping || head->type == RECORD_STEP;
	entry->data = entry->data || head->type == RECORD_DATA;
	if (head->type == RECORD_CLAIM && size == sizeof(entry->email)) {
		memcpy(&entry->email, payload, size);
		entry->has_email = true;
	}
	if (head->type == RECORD_DATA && size > 0) {
		g_free(entry->relay);
		entry->relay = g_strndup((const char *)payload, size);
	}
	if (head->type == RECORD_DONE)
		read_done(entry, payload, size);
}

/* The size of the record at this place, 0 when no whole one begins there. Reads its head. */
static gsize
record_size(const guint8 *bytes, gsize size, gsize at, struct record_head *head_r)
{
	if (size - at < sizeof(*head_r))
		return 0;
	memcpy(head_r, bytes + at, sizeof(*head_r));
	if (head_r->size < SUM_SIZE || head_r->size > size - at - sizeof(*head_r))
		return 0;
	return sizeof(*head_r) + head_r->size;
}

/* Calls take with each whole record up to the first that is damaged; a damaged mark is passed over.
 */
static void
journal_read_records(const guint8 *bytes, gsize size,
    void (*take)(const struct record_head *head, const guint8 *record, gsize size, void *context),
    void *context)
{
	struct record_head head;
	gsize length;

	for (gsize at = 0; (length = record_size(bytes, size, at, &head)) > 0; at += length) {
		guint8 sum[SHA256_SIZE];

		base_secret_sha256(bytes + at, length - SUM_SIZE, sum);
		if (memcmp(sum, bytes + at + length - SUM_SIZE, SUM_SIZE) == 0)
			take(&head, bytes + at, length, context);
		else if (at > 0 || head.type < RECORD_IDLE)
			break;
	}
}

static void
journal_take_record(const struct record_head *head, const guint8 *record, gsize size, void *context)
{
	read_record(context, head, record + sizeof(*head), size - sizeof(*head) - SUM_SIZE);
}

GPtrArray *
service_journal_read(const guint8 *bytes, gsize size)
{
	GPtrArray *entries = g_ptr_array_new_with_free_func(journal_free_entry);

	journal_read_records(bytes, size, journal_take_record, entries);
	return entries;
}

#define SUFFIX ".journal"
#define HOST_FILE "host"
/* The size of the largest done record: 150 recipients, each with the longest text. */
#define DONE_SIZE (128 * 1024)

struct service_journal {
	int fd;
	char *path;
	char *owner;
	gint64 size;
	gint64 reserved; /* disk space is reserved up to here */
};

static bool
journal_fail(GError **error, const char *what, const char *path)
{
	int code = errno;

	g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
	    "cannot %s %s: %s; nothing is sent until it can be written", what, path,
	    g_strerror(code));
	return false;
}

/* The name of this machine in this directory. The first process that needs it makes it. */
static char *
journal_host_of(const char *dir, GError **error)
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
		/* Write another file and link it into place, so that no process and no other thread
		   reads half a name. */
		g_autofree char *draft = g_strconcat(path, ".", base_id_format(&id, text), NULL);
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
	journal_fail(error, "write", path);
	return NULL;
}

/* Overwrites the mark. Its place was written when the file was made, so it can be written on a full
   disk too. A write of so few bytes happens whole or not at all, even if the process is killed. */
static bool
journal_mark(int fd, enum record_type type, const struct base_id *id, gint64 token)
{
	static const struct base_id none;
	g_autoptr(GByteArray) record = make_record(type, id ? id : &none, token);

	return pwrite(fd, record->data, record->len, 0) == JOURNAL_MARK_SIZE;
}

void
service_journal_compose(struct service_journal *journal, const struct base_id *id, gint64 token)
{
	journal_mark(journal->fd, RECORD_COMPOSE, id, token);
}

void
service_journal_step(struct service_journal *journal, const struct base_id *execution)
{
	journal_mark(journal->fd, RECORD_STEP, execution, 0);
}

void
service_journal_idle(struct service_journal *journal)
{
	journal_mark(journal->fd, RECORD_IDLE, NULL, 0);
}

struct service_journal *
service_journal_open(const char *dir, GError **error)
{
	struct base_id id = base_id_new();
	char text[ID_TEXT_SIZE];
	g_autofree char *host = journal_host_of(dir, error);

	if (!host)
		return NULL;
	g_autofree char *owner = g_strdup_printf("%s.%s", host, base_id_format(&id, text));
	g_autofree char *name = g_strconcat(owner, SUFFIX, NULL);
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autofree char *draft = g_strconcat(path, ".new", NULL);
	/* The file gets its name when it is locked, so that no process takes its owner for ended.
	 */
	int fd = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0) {
		journal_fail(error, "create", draft);
		return NULL;
	}
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || !journal_mark(fd, RECORD_IDLE, NULL, 0) ||
	    rename(draft, path) != 0) {
		journal_fail(error, "begin", draft);
		unlink(draft);
		close(fd);
		return NULL;
	}
	struct service_journal *journal = g_new0(struct service_journal, 1);
	journal->fd = fd;
	journal->path = g_steal_pointer(&path);
	journal->owner = g_steal_pointer(&owner);
	journal->size = JOURNAL_MARK_SIZE;
	return journal;
}

const char *
service_journal_owner(const struct service_journal *journal)
{
	return journal->owner;
}

static bool
journal_append(struct service_journal *journal, const GByteArray *record, GError **error)
{
	ssize_t written;

	do
		written = pwrite(journal->fd, record->data, record->len, journal->size);
	while (written < 0 && errno == EINTR);
	if (written == (ssize_t)record->len) {
		journal->size += written;
		return true;
	}
	/* Remove a torn record: records behind it would not be read. */
	int code = written < 0 ? errno : ENOSPC;
	if (written > 0 && ftruncate(journal->fd, journal->size) != 0)
		code = errno;
	errno = code;
	return journal_fail(error, "write", journal->path);
}

bool
service_journal_claim(struct service_journal *journal, const struct base_id *email,
    const struct base_id *id, gint64 token, GError **error)
{
	g_autoptr(GByteArray) record = journal_end(g_byte_array_append(
	    journal_begin(RECORD_CLAIM, id, token), email->bytes, sizeof(email->bytes)));

	return journal_append(journal, record, error);
}

static bool
reserve(struct service_journal *journal, gint64 size)
{
	if (journal->size + size <= journal->reserved)
		return true;
	if (fallocate(journal->fd, FALLOC_FL_KEEP_SIZE, journal->size, 4 * DONE_SIZE) != 0 &&
	    errno != EOPNOTSUPP)
		return false;
	journal->reserved = journal->size + 4 * DONE_SIZE;
	return true;
}

bool
service_journal_data(struct service_journal *journal, const struct base_id *id, gint64 token,
    const char *relay, GError **error)
{
	g_autoptr(GByteArray) record = journal_end(g_byte_array_append(
	    journal_begin(RECORD_DATA, id, token), (const guint8 *)relay, (guint)strlen(relay)));

	FAULT("journal-data-before");
	if (!reserve(journal, record->len + DONE_SIZE))
		return journal_fail(error, "write", journal->path);
	bool done = journal_append(journal, record, error);
	FAULT("journal-data-after");
	return done;
}

bool
service_journal_done(
    struct service_journal *journal, const struct service_journal_ending *ending, GError **error)
{
	g_autoptr(GByteArray) record = make_done_record(ending);

	FAULT("journal-done-before");
	bool done = journal_append(journal, record, error);
	FAULT("journal-done-after");
	return done;
}

void
service_journal_cut(struct service_journal *journal)
{
	FAULT("journal-cut-before");
	if (journal->size > JOURNAL_MARK_SIZE && ftruncate(journal->fd, JOURNAL_MARK_SIZE) == 0)
		journal->size = journal->reserved = JOURNAL_MARK_SIZE;
	FAULT("journal-cut-after");
}

static void
journal_release(struct service_journal *journal)
{
	close(journal->fd);
	g_free(journal->path);
	g_free(journal->owner);
	g_free(journal);
}

void
service_journal_close(struct service_journal *journal)
{
	unlink(journal->path);
	journal_release(journal);
}

void
service_journal_abandon(struct service_journal *journal)
{
	journal_release(journal);
}

static bool
journal_read_all(int fd, GByteArray *bytes)
{
	guint8 buffer[65536];
	ssize_t got;

	while ((got = read(fd, buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR))
		if (got > 0)
			g_byte_array_append(bytes, buffer, (guint)got);
	return got == 0;
}

/* Opens and locks a journal whose owner has ended; NULL when its owner lives. Two processes may
   try:
   1. Both open the file of an ended owner.
   2. The first one locks it, records its entries, and removes it.
   3. The second one then gets the lock of the removed file. It compares the inodes of the open file
   and of the name, and leaves the file alone. */
static struct service_journal *
open_ended(const char *dir, const char *name)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat opened, named;

	if (fd < 0)
		return NULL;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &opened) != 0 ||
	    stat(path, &named) != 0 || opened.st_ino != named.st_ino) {
		close(fd);
		return NULL;
	}
	struct service_journal *journal = g_new0(struct service_journal, 1);
	journal->fd = fd;
	journal->path = g_steal_pointer(&path);
	journal->owner = g_strndup(name, strlen(name) - strlen(SUFFIX));
	journal->size = opened.st_size;
	return journal;
}

struct service_journal *
service_journal_next(const char *dir, GPtrArray **entries_r)
{
	g_autoptr(GDir) listing = g_dir_open(dir, 0, NULL);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	const char *name;

	while (listing && (name = g_dir_read_name(listing))) {
		struct service_journal *journal =
		    g_str_has_suffix(name, SUFFIX) ? open_ended(dir, name) : NULL;

		if (!journal)
			continue;
		if (journal_read_all(journal->fd, bytes)) {
			*entries_r = service_journal_read(bytes->data, bytes->len);
			return journal;
		}
		service_journal_abandon(journal);
		g_byte_array_set_size(bytes, 0);
	}
	return NULL;
}

guint
service_journal_left(const char *dir, gint64 before)
{
	g_autoptr(GDir) listing = g_dir_open(dir, 0, NULL);
	const char *name;
	guint left = 0;

	while (listing && (name = g_dir_read_name(listing))) {
		g_autofree char *path = g_build_filename(dir, name, NULL);
		struct stat file;

		if (!g_str_has_suffix(name, SUFFIX) || stat(path, &file) != 0 ||
		    (gint64)file.st_mtime * 1000 >= before)
			continue;
		struct service_journal *journal = open_ended(dir, name);
		left += journal != NULL;
		if (journal)
			service_journal_abandon(journal);
	}
	return left;
}

struct sending {
	GPtrArray *entries; /* all of the journal */
	GByteArray *sent;
};

static void
take_sent(const struct record_head *head, const guint8 *record, gsize size, void *context)
{
	struct sending *sending = context;

	if (head->type > RECORD_DONE)
		return;
	const struct service_journal_entry *entry = journal_entry_of(sending->entries, head);
	if (entry->data || entry->done)
		g_byte_array_append(sending->sent, record, (guint)size);
}

GBytes *
service_journal_sent(const char *dir)
{
	g_autoptr(GDir) listing = g_dir_open(dir, 0, NULL);
	GByteArray *sent = g_byte_array_new();
	const char *name;

	while (listing && (name = g_dir_read_name(listing))) {
		g_autofree char *path = g_build_filename(dir, name, NULL), *bytes = NULL;
		gsize size;

		if (!g_str_has_suffix(name, SUFFIX) ||
		    !g_file_get_contents(path, &bytes, &size, NULL))
			continue;
		g_autoptr(GPtrArray) entries = service_journal_read((const guint8 *)bytes, size);
		struct sending sending = {entries, sent};
		journal_read_records((const guint8 *)bytes, size, take_sent, &sending);
	}
	return g_byte_array_free_to_bytes(sent);
}

bool
service_journal_restore(const char *dir, GBytes *sent, GError **error)
{
	g_autoptr(GByteArray) records = g_byte_array_new();
	gsize size;
	const guint8 *bytes = g_bytes_get_data(sent, &size);

	AUTO(service_journal) journal = service_journal_open(dir, error);
	if (!journal)
		return false;
	g_byte_array_append(records, bytes, (guint)size);
	if (!journal_append(journal, records, error))
		return false;
	service_journal_abandon(g_steal_pointer(&journal));
	return true;
}

enum service_journal_owner
service_journal_ask(const char *dir, const char *owner)
{
	g_autofree char *host = journal_host_of(dir, NULL);
	g_autofree char *name = g_strconcat(owner, SUFFIX, NULL);
	g_autofree char *path = g_build_filename(dir, name, NULL);

	if (!host || !g_str_has_prefix(owner, host))
		return OWNER_FOREIGN;
	return access(path, F_OK) == 0 ? OWNER_LIVES : OWNER_GONE;
}
