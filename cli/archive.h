/* SPDX-License-Identifier: MIT */
/* The folder of a backup. Each file in it stands in its list, MANIFEST, with size and SHA-256. The
   list is written last, and the folder gets its name after that, so that a folder without a list is
   no backup. The last line of the list is a tag (HMAC-SHA-256) of the lines above it, made with the
   key or, without one, with the secret of the installation.

   With a key, each piece of a file is encrypted (base_secret_encrypt). Backup, name, place and end
   of the file are authenticated, so that no piece can be moved, left out or taken from another
   backup. */
#ifndef CLI_ARCHIVE_H
#define CLI_ARCHIVE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct base_secret;
struct cli_archive;

/* Begins a backup that becomes the folder dir. key_file: the file with the key, NULL: not
   encrypted. secret: of the installation, which has to outlive the result. INVALID for the key;
   CONFLICT when dir exists already; FAILED when it cannot be written. The caller frees it: unless
   it was finished, nothing stays. */
struct cli_archive *cli_archive_create(
    const char *dir, const char *key_file, const struct base_secret *secret, GError **error);

/* Opens the backup in dir, and reads its list. NOT_FOUND when there is none; INVALID when the list
   or the key is not in order. The caller checks it before anything else but its numbers and its
   secret counts, and frees it. */
struct cli_archive *cli_archive_open(const char *dir, const char *key_file, GError **error);

/* Whether the list has a tag, which older programs did not make; whether there is a key. */
bool cli_archive_is_signed(const struct cli_archive *archive);
bool cli_archive_is_encrypted(const struct cli_archive *archive);

/* Reads all files once, and compares them with the list, and the list with its tag: by the key, or
   without one by secret. INVALID with the file. The second function leaves out the tag. */
bool cli_archive_check(
    struct cli_archive *archive, const struct base_secret *secret, GError **error);
bool cli_archive_check_unsigned(struct cli_archive *archive, GError **error);

void cli_archive_free(struct cli_archive *archive);
DEFINE_AUTO(cli_archive, cli_archive_free)

/* Write a file: its beginning, bytes as they come, its end; or all of it. FAILED. */
bool cli_archive_begin(struct cli_archive *archive, const char *name, GError **error);
bool cli_archive_write(
    struct cli_archive *archive, const guint8 *bytes, gsize size, GError **error);
bool cli_archive_end(struct cli_archive *archive, GError **error);
bool cli_archive_put(struct cli_archive *archive, const char *name, GBytes *bytes, GError **error);

/* Writes the list, and gives the folder its name. */
bool cli_archive_finish(struct cli_archive *archive, GError **error);

/* Calls take with the bytes of a file, piece by piece, until it returns false with an error. */
bool cli_archive_read(struct cli_archive *archive, const char *name,
    bool (*take)(const guint8 *bytes, gsize size, void *context, GError **error), void *context,
    GError **error);

/* The bytes of a file; NULL with an error. The caller owns them. */
GBytes *cli_archive_get(struct cli_archive *archive, const char *name, GError **error);

/* Numbers and texts that stand in the list; 0 or NULL: it does not have them. */
void cli_archive_note(struct cli_archive *archive, const char *key, gint64 number);
gint64 cli_archive_number(const struct cli_archive *archive, const char *key);

/* The names of the files, NULL-terminated; the caller owns them. */
char **cli_archive_names(const struct cli_archive *archive);

#endif
