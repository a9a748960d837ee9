/* SPDX-License-Identifier: MIT */
/* Writes and reads the folder of a backup. */
#include "cli/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/error.h"
#include "base/id.h"
#include "base/secret.h"

#define FORMAT 1
#define LIST "MANIFEST"
#define HEAD "backup"
#define PURPOSE "backup"
/* The last line of the list: a tag of all lines above it. Programs that do not know it read a
   comment. */
#define END "# end "
#define PIECE (1024 * 1024)
/* A sealed piece is longer by nonce and tag. */
#define SEAL 28

struct cli_archive {
	char *dir;    /* its name at the end */
	char *folder; /* the name that it has now */
	GKeyFile *list;
	struct base_secret *key;	  /* NULL: not encrypted */
	const struct base_secret *secret; /* by which the list is signed without a key; borrowed */
	char *text;			  /* of the list that is read */
	char *id;
	/* The file that is written. */
	char *name;
	int fd;
	GChecksum *sum;
	GByteArray *piece;
	gint64 size, pieces;
};

static bool
archive_fail(GError **error, const char *verb, const char *path)
{
	return base_fail(error, PH_ERROR_FAILED, "cannot %s %s: %s", verb, path, g_strerror(errno));
}

static char *
archive_path_of(const struct cli_archive *archive, const char *name)
{
	return g_build_filename(archive->folder, name, NULL);
}

static void
clear_file(struct cli_archive *archive)
{
	if (archive->fd >= 0)
		close(archive->fd);
	archive->fd = -1;
	g_clear_pointer(&archive->name, g_free);
	g_clear_pointer(&archive->sum, g_checksum_free);
	g_clear_pointer(&archive->piece, g_byte_array_unref);
	archive->size = archive->pieces = 0;
}

/* Removes a folder of files. */
static void
remove_folder(const char *folder)
{
	g_autoptr(GDir) listing = g_dir_open(folder, 0, NULL);
	const char *name;

	while (listing && (name = g_dir_read_name(listing))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		g_unlink(path);
	}
	g_rmdir(folder);
}

void
cli_archive_free(struct cli_archive *archive)
{
	clear_file(archive);
	if (archive->folder && archive->dir && strcmp(archive->folder, archive->dir) != 0)
		remove_folder(archive->folder);
	g_clear_pointer(&archive->key, base_secret_free);
	g_key_file_unref(archive->list);
	g_free(archive->dir);
	g_free(archive->folder);
	g_free(archive->id);
	g_free(archive->text);
	g_free(archive);
}

static struct cli_archive *
archive_make(const char *dir)
{
	struct cli_archive *archive = g_new0(struct cli_archive, 1);
	gsize length = strlen(dir);

	while (length > 1 && dir[length - 1] == '/')
		length--;
	archive->dir = g_strndup(dir, length);
	archive->list = g_key_file_new();
	archive->fd = -1;
	return archive;
}

static bool
archive_read_key(struct cli_archive *archive, const char *key_file, GError **error)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) failure = NULL;

	if (!key_file)
		return true;
	if (!g_file_get_contents(key_file, &text, NULL, &failure))
		return base_fail(error,
		    failure->code == G_FILE_ERROR_NOENT || failure->code == G_FILE_ERROR_ISDIR ||
			    failure->code == G_FILE_ERROR_ACCES
			? PH_ERROR_NOT_FOUND
			: PH_ERROR_FAILED,
		    "the key cannot be read: %s", failure->message);
	archive->key = base_secret_parse(text, error);
	if (!archive->key)
		g_prefix_error(error, "the key in %s: ", key_file);
	return archive->key != NULL;
}

struct cli_archive *
cli_archive_create(
    const char *dir, const char *key_file, const struct base_secret *secret, GError **error)
{
	AUTO(cli_archive) archive = archive_make(dir);
	char text[ID_TEXT_SIZE];
	struct base_id id = base_id_new();

	if (!archive_read_key(archive, key_file, error))
		return NULL;
	if (g_file_test(archive->dir, G_FILE_TEST_EXISTS)) {
		base_fail(error, PH_ERROR_CONFLICT, "%s exists already; name a new folder", dir);
		return NULL;
	}
	g_autofree char *folder = g_strconcat(archive->dir, ".unfinished-XXXXXX", NULL);
	if (!g_mkdtemp(folder)) {
		archive_fail(error, "make a folder at", dir);
		return NULL;
	}
	archive->folder = g_steal_pointer(&folder);
	archive->id = g_strdup(base_id_format(&id, text));
	archive->secret = secret;
	cli_archive_note(archive, "format", FORMAT);
	g_key_file_set_string(archive->list, HEAD, "id", archive->id);
	g_key_file_set_string(archive->list, HEAD, "version", PACKAGE_VERSION);
	g_key_file_set_boolean(archive->list, HEAD, "encrypted", key_file != NULL);
	return g_steal_pointer(&archive);
}

bool
cli_archive_begin(struct cli_archive *archive, const char *name, GError **error)
{
	g_autofree char *path = archive_path_of(archive, name);

	clear_file(archive);
	archive->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (archive->fd < 0)
		return archive_fail(error, "write", path);
	archive->name = g_strdup(name);
	archive->sum = g_checksum_new(G_CHECKSUM_SHA256);
	archive->piece = g_byte_array_new();
	return true;
}

/* The context by which a piece of a file is authenticated. The caller owns it. */
static char *
context_of(const struct cli_archive *archive, const char *name, gint64 number, bool is_last)
{
	return g_strdup_printf(
	    "%s %s %" G_GINT64_FORMAT "%s", archive->id, name, number, is_last ? " end" : "");
}

/* Writes the piece that has come together. */
static bool
archive_flush(struct cli_archive *archive, bool is_last, GError **error)
{
	g_autofree char *context = context_of(archive, archive->name, archive->pieces++, is_last);
	g_autoptr(GBytes) plain = g_bytes_new(archive->piece->data, archive->piece->len);
	g_autoptr(GBytes) bytes =
	    archive->key ? base_secret_encrypt(archive->key, plain, context, strlen(context))
			 : g_bytes_ref(plain);
	gsize left;
	const guint8 *at = g_bytes_get_data(bytes, &left);

	g_byte_array_set_size(archive->piece, 0);
	if (left > 0)
		g_checksum_update(archive->sum, at, (gssize)left);
	archive->size += (gint64)left;
	while (left > 0) {
		ssize_t written = write(archive->fd, at, left);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return archive_fail(error, "write", archive->folder);
		at += written;
		left -= (gsize)written;
	}
	return true;
}

bool
cli_archive_write(struct cli_archive *archive, const guint8 *bytes, gsize size, GError **error)
{
	while (size > 0) {
		gsize room = PIECE - archive->piece->len, part = MIN(size, room);

		if (room == 0 && !archive_flush(archive, false, error))
			return false;
		if (room == 0)
			continue;
		g_byte_array_append(archive->piece, bytes, (guint)part);
		bytes += part;
		size -= part;
	}
	return true;
}

bool
cli_archive_end(struct cli_archive *archive, GError **error)
{
	if (!archive_flush(archive, true, error))
		return false;
	if (fsync(archive->fd) != 0)
		return archive_fail(error, "write", archive->folder);
	g_key_file_set_int64(archive->list, archive->name, "bytes", archive->size);
	g_key_file_set_string(
	    archive->list, archive->name, "sha256", g_checksum_get_string(archive->sum));
	clear_file(archive);
	return true;
}

bool
cli_archive_put(struct cli_archive *archive, const char *name, GBytes *bytes, GError **error)
{
	gsize size;
	const guint8 *data = g_bytes_get_data(bytes, &size);

	return cli_archive_begin(archive, name, error) &&
	       cli_archive_write(archive, data, size, error) && cli_archive_end(archive, error);
}

/* Writes the folder's entries to the disk. */
static bool
sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	return done;
}

/* The list with its last line. The caller owns it. */
static char *
sign_list(const struct cli_archive *archive)
{
	gsize size;
	g_autofree char *text = g_key_file_to_data(archive->list, &size, NULL);
	GString *whole = g_string_new(text);
	guint8 tag[SHA256_SIZE];

	base_secret_sign(
	    archive->key ? archive->key : archive->secret, PURPOSE, text, size, tag, sizeof(tag));
	g_string_append(whole, END);
	for (guint i = 0; i < sizeof(tag); i++)
		g_string_append_printf(whole, "%02x", tag[i]);
	g_string_append_c(whole, '\n');
	return g_string_free(whole, FALSE);
}

bool
cli_archive_finish(struct cli_archive *archive, GError **error)
{
	g_autofree char *path = archive_path_of(archive, LIST);
	g_autofree char *parent = g_path_get_dirname(archive->dir);
	g_autofree char *text = sign_list(archive);
	g_autoptr(GError) failure = NULL;

	if (!g_file_set_contents_full(path, text, -1,
		G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0600, &failure))
		return base_fail(error, PH_ERROR_FAILED, "%s", failure->message);
	if (!sync_folder(archive->folder))
		return archive_fail(error, "write", archive->folder);
	/* A folder that another process made meanwhile stays: rename replaces an empty one alone.
	 */
	if (rename(archive->folder, archive->dir) != 0)
		return archive_fail(error, "write", archive->dir);
	g_free(archive->folder);
	archive->folder = g_strdup(archive->dir);
	return sync_folder(parent) || archive_fail(error, "write", parent);
}

void
cli_archive_note(struct cli_archive *archive, const char *key, gint64 number)
{
	g_key_file_set_int64(archive->list, HEAD, key, number);
}

gint64
cli_archive_number(const struct cli_archive *archive, const char *key)
{
	return g_key_file_get_int64(archive->list, HEAD, key, NULL);
}

char **
cli_archive_names(const struct cli_archive *archive)
{
	g_auto(GStrv) groups = g_key_file_get_groups(archive->list, NULL);
	g_autoptr(GStrvBuilder) names = g_strv_builder_new();

	for (char **group = groups; *group; group++)
		if (strcmp(*group, HEAD) != 0)
			g_strv_builder_add(names, *group);
	return g_strv_builder_end(names);
}

/* A file that is read. */
struct reading {
	struct cli_archive *archive;
	const char *name;
	gint64 left, number;
	bool (*take)(const guint8 *bytes, gsize size, void *context, GError **error);
	void *context;
};

static bool
archive_damaged(const struct reading *reading, GError **error)
{
	return base_invalid(
	    error, "%s/%s is damaged or incomplete", reading->archive->folder, reading->name);
}

static bool
archive_take_piece(struct reading *reading, const guint8 *bytes, gsize size, GError **error)
{
	const struct cli_archive *archive = reading->archive;
	gsize plain_size;

	if (!archive->key)
		return reading->take(bytes, size, reading->context, error);
	g_autofree char *context =
	    context_of(archive, reading->name, reading->number++, reading->left == 0);
	g_autoptr(GBytes) sealed = g_bytes_new_static(bytes, size);
	g_autoptr(GBytes) plain =
	    base_secret_decrypt(archive->key, sealed, context, strlen(context), NULL);
	if (!plain)
		return base_invalid(error,
		    "%s/%s cannot be decrypted: this is not the key with which the backup was "
		    "made, or "
		    "the file was changed",
		    archive->folder, reading->name);
	const guint8 *data = g_bytes_get_data(plain, &plain_size);
	return reading->take(data, plain_size, reading->context, error);
}

static bool
read_pieces(struct reading *reading, FILE *file, GError **error)
{
	gsize size = PIECE + (reading->archive->key ? SEAL : 0);
	g_autofree guint8 *bytes = g_malloc(size);
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

	while (reading->left > 0) {
		gsize part = (gsize)MIN((gint64)size, reading->left);

		if (fread(bytes, 1, part, file) != part)
			return archive_damaged(reading, error);
		g_checksum_update(sum, bytes, (gssize)part);
		reading->left -= (gint64)part;
		if (!archive_take_piece(reading, bytes, part, error))
			return false;
	}
	g_autofree char *want =
	    g_key_file_get_string(reading->archive->list, reading->name, "sha256", NULL);
	if (fgetc(file) != EOF || g_strcmp0(want, g_checksum_get_string(sum)) != 0)
		return archive_damaged(reading, error);
	return true;
}

bool
cli_archive_read(struct cli_archive *archive, const char *name,
    bool (*take)(const guint8 *bytes, gsize size, void *context, GError **error), void *context,
    GError **error)
{
	g_autofree char *path = archive_path_of(archive, name);
	struct reading reading = {.archive = archive,
	    .name = name,
	    .left = g_key_file_get_int64(archive->list, name, "bytes", NULL),
	    .take = take,
	    .context = context};
	FILE *file = fopen(path, "re");

	if (!file)
		return base_invalid(error, "the backup lacks %s: %s", path, g_strerror(errno));
	/* Even an empty file has a sealed piece, which is its end. */
	if (!g_key_file_has_group(archive->list, name) ||
	    reading.left < (archive->key ? SEAL : 0)) {
		fclose(file);
		return archive_damaged(&reading, error);
	}
	bool done = read_pieces(&reading, file, error);
	fclose(file);
	return done;
}

static bool
archive_append(const guint8 *bytes, gsize size, void *context, GError **error)
{
	g_byte_array_append(context, bytes, (guint)size);
	return true;
}

GBytes *
cli_archive_get(struct cli_archive *archive, const char *name, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	if (!cli_archive_read(archive, name, archive_append, bytes, error))
		return NULL;
	return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
}

static bool
archive_check_list(struct cli_archive *archive, const char *key_file, GError **error)
{
	bool is_encrypted = g_key_file_get_boolean(archive->list, HEAD, "encrypted", NULL);

	archive->id = g_key_file_get_string(archive->list, HEAD, "id", NULL);
	if (cli_archive_number(archive, "format") != FORMAT || !archive->id)
		return base_invalid(error,
		    "the backup in %s has another form than this program can read: use the "
		    "Posthouse "
		    "that made it",
		    archive->dir);
	if (is_encrypted && !key_file)
		return base_invalid(error,
		    "the backup in %s is encrypted: name its key with --decrypt", archive->dir);
	if (!is_encrypted && key_file)
		return base_invalid(error,
		    "the backup in %s is not encrypted: leave out --decrypt if it was made "
		    "without a key",
		    archive->dir);
	return true;
}

static bool
archive_pass(const guint8 *bytes, gsize size, void *context, GError **error)
{
	return true;
}

static bool
check_files(struct cli_archive *archive, GError **error)
{
	g_auto(GStrv) names = cli_archive_names(archive);

	for (char **name = names; *name; name++)
		if (strchr(*name, '/'))
			return base_invalid(
			    error, "%s/%s names a file elsewhere", archive->folder, LIST);
		else if (!cli_archive_read(archive, *name, archive_pass, NULL, error))
			return false;
	return true;
}

/* Reads the tag in the last line. False when the list has none. */
static bool
archive_read_tag(const struct cli_archive *archive, gsize *size_r, guint8 tag_r[SHA256_SIZE])
{
	const char *line = g_strrstr(archive->text, END), *hex;

	if (!line || (line != archive->text && line[-1] != '\n'))
		return false;
	hex = line + strlen(END);
	*size_r = (gsize)(line - archive->text);
	for (guint i = 0; i < SHA256_SIZE; i++, hex += 2) {
		if (!g_ascii_isxdigit(hex[0]) || !g_ascii_isxdigit(hex[1]))
			return false;
		tag_r[i] =
		    (guint8)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));
	}
	return strcmp(hex, "\n") == 0;
}

bool
cli_archive_is_signed(const struct cli_archive *archive)
{
	guint8 tag[SHA256_SIZE];
	gsize size;

	return archive_read_tag(archive, &size, tag);
}

bool
cli_archive_is_encrypted(const struct cli_archive *archive)
{
	return archive->key != NULL;
}

bool
cli_archive_check(struct cli_archive *archive, const struct base_secret *secret, GError **error)
{
	guint8 tag[SHA256_SIZE];
	gsize size;

	if (!check_files(archive, error))
		return false;
	if (!archive_read_tag(archive, &size, tag))
		return base_invalid(
		    error, "%s/%s is not signed, or cut off", archive->folder, LIST);
	return base_secret_verify(archive->key ? archive->key : secret, PURPOSE, archive->text,
		   size, tag, sizeof(tag)) ||
	       base_invalid(error, "%s/%s was changed, or is of another installation",
		   archive->folder, LIST);
}

bool
cli_archive_check_unsigned(struct cli_archive *archive, GError **error)
{
	return check_files(archive, error);
}

struct cli_archive *
cli_archive_open(const char *dir, const char *key_file, GError **error)
{
	AUTO(cli_archive) archive = archive_make(dir);
	g_autoptr(GError) failure = NULL;

	archive->folder = g_strdup(archive->dir);
	g_autofree char *path = archive_path_of(archive, LIST);
	if (!archive_read_key(archive, key_file, error))
		return NULL;
	if (!g_file_get_contents(path, &archive->text, NULL, &failure) ||
	    !g_key_file_load_from_data(
		archive->list, archive->text, (gsize)-1, G_KEY_FILE_NONE, &failure)) {
		base_fail(error, PH_ERROR_NOT_FOUND, "there is no whole backup in %s: %s: %s", dir,
		    LIST, failure->message);
		return NULL;
	}
	if (!archive_check_list(archive, key_file, error))
		return NULL;
	return g_steal_pointer(&archive);
}
