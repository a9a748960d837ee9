/* SPDX-License-Identifier: MIT */
/* The attachments of broadcasts, whose contents are stored once. Errors that a function does not
   name are those of db/statement.h. */
#ifndef STORE_BROADCAST_ATTACHMENT_H
#define STORE_BROADCAST_ATTACHMENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/email/body.h"

struct db;

struct store_broadcast_attachment {
	struct base_id id, broadcast_id;
	char *filename, *content_type;
	char *content_id; /* NULL unless inline */
	gsize size;
	struct store_body body; /* data is NULL unless it is new, or was read */
};

void store_broadcast_attachment_free(struct store_broadcast_attachment *attachment);
DEFINE_AUTO(store_broadcast_attachment, store_broadcast_attachment_free)

/* An attachment of any broadcast of the workspace. NOT_FOUND. The caller frees it. */
struct store_broadcast_attachment *store_broadcast_attachment_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* Reads the content of an attachment into its body. */
bool store_broadcast_attachment_read(struct db *db, const struct base_id *workspace,
    struct store_broadcast_attachment *attachment, GError **error);

/* Inside a transaction: gives a broadcast these attachments (array of struct
   store_broadcast_attachment, in their order; NULL: none) in place of those that it has. Contents
   that nothing needs any more are removed. CONFLICT when one that was read before has been removed
   meanwhile. */
bool store_broadcast_attachments_put(struct db *db, const struct base_id *workspace,
    const struct base_id *broadcast, const GPtrArray *attachments, GError **error);

#endif
