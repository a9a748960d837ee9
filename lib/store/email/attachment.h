/* SPDX-License-Identifier: MIT */
/* Reads the attachments of stored emails. */
#ifndef STORE_EMAIL_ATTACHMENT_H
#define STORE_EMAIL_ATTACHMENT_H

#include <glib.h>

#include "base/id.h"
#include "base/scope.h"
#include "base/secret.h"

struct db;

struct store_attachment {
	guint number; /* its place among the parts of the email */
	struct base_id workspace_id, email_id;
	char *filename, *content_type;
	char *content_id; /* NULL unless inline */
	gsize size;
	guint8 hash[SHA256_SIZE]; /* of its content, see store/email/body.h */
};

void store_attachment_free(struct store_attachment *attachment);
DEFINE_AUTO(store_attachment, store_attachment_free)

/* The attachments of an email in their order, as an array of struct store_attachment. NOT_FOUND
   when there is no such email. The caller owns it. */
GPtrArray *store_attachment_list(
    struct db *db, const struct base_id *workspace, const struct base_id *email, GError **error);

/* One attachment, whatever its workspace: the caller has checked a token that names it. NOT_FOUND.
   The caller frees it. */
struct store_attachment *store_attachment_get(
    struct db *db, const struct base_id *email, guint number, GError **error);

#endif
