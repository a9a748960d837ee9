/* SPDX-License-Identifier: MIT */
#ifndef STORE_SERVER_H
#define STORE_SERVER_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct db;

/* What an installation may want to know of its server, beyond that it answers. */
struct store_server {
	char *version;	    /* as it says it: "10.11.6-MariaDB-log" */
	char *engine;	    /* of tables that name none */
	gint64 clock;	    /* its time when it was asked, epoch ms */
	gint64 packet;	    /* bytes that it takes at once */
	gint64 flush;	    /* innodb_flush_log_at_trx_commit: 1 writes each commit to the disk */
	bool binlog;	    /* it keeps a binary log, */
	gint64 sync_binlog; /* and writes it to the disk each so many commits, 0 = when it likes */
	bool statements;    /* as statements, which InnoDB refuses under READ COMMITTED */
	bool strict;	    /* values that do not fit are errors on our connection */
};

/* The caller frees it. NULL on error. */
struct store_server *store_server_read(struct db *db, GError **error);
void store_server_free(struct store_server *server);
DEFINE_AUTO(store_server, store_server_free)

/* Its version as one number, 10.11.6 as 101106; 0 when it is no MariaDB. */
guint store_server_number(const struct store_server *server);

/* How much of what a service needs there is, over all workspaces, at now (epoch ms). */
struct store_inventory {
	gint64 workspaces;
	gint64 keys;	/* that are neither revoked nor have expired */
	gint64 domains; /* that may send */
};
bool store_server_count(
    struct db *db, gint64 now, struct store_inventory *inventory_r, GError **error);

#endif
