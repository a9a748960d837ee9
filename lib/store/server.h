/* SPDX-License-Identifier: MIT */
#ifndef STORE_SERVER_H
#define STORE_SERVER_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct db;

/* The facts about the database server that a check of the installation shows. */
struct store_server {
	char *version; /* as the server gives it: "10.11.6-MariaDB-log" */
	char *engine;  /* the default for tables */
	gint64 clock;  /* its time at the query, epoch ms */
	gint64 packet; /* the largest packet, in bytes */
	gint64 flush;  /* innodb_flush_log_at_trx_commit: 1 writes each commit to the disk */
	bool binlog;   /* it keeps a binary log */
	gint64
	    sync_binlog; /* commits between two writes of it to the disk, 0 = the system decides */
	bool statements; /* it logs statements, which InnoDB refuses under READ COMMITTED */
	bool strict;	 /* values that do not fit are errors on our connection */
};

/* The caller frees it. NULL on error. */
struct store_server *store_server_read(struct db *db, GError **error);
void store_server_free(struct store_server *server);
DEFINE_AUTO(store_server, store_server_free)

/* The version as one number, 10.11.6 as 101106; 0 for any other server than MariaDB. */
guint store_server_number(const struct store_server *server);

/* The number of workspaces, keys and domains that can be used, over all workspaces, at now
   (epoch ms). */
struct store_inventory {
	gint64 workspaces;
	gint64 keys;	/* that are neither revoked nor have expired */
	gint64 domains; /* verified or trusted */
};
bool store_server_count(
    struct db *db, gint64 now, struct store_inventory *inventory_r, GError **error);

#endif
