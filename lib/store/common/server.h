/* SPDX-License-Identifier: MIT */
/* The database server's version and settings, for posthouse doctor. Errors that a function does not
   name are those of db/statement.h. */
#ifndef STORE_COMMON_SERVER_H
#define STORE_COMMON_SERVER_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
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
	bool read_only;	 /* it refuses changes but of users who have RIGHT_READ_ONLY_ADMIN */
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

/* A key that is valid though its user is removed. */
struct store_server_key {
	struct base_id id;
	char *name, *workspace;
};

/* The oldest of them, over all workspaces, at now (epoch ms), at most limit, as an array of struct
   store_server_key. The caller owns it. */
GPtrArray *store_server_loose_keys(struct db *db, gint64 now, guint limit, GError **error);

/* The rights of a user on a database. */
enum store_right {
	RIGHT_SELECT,
	RIGHT_INSERT,
	RIGHT_UPDATE,
	RIGHT_DELETE,
	RIGHT_CREATE, /* these and those below: only for schema migrate */
	RIGHT_ALTER,
	RIGHT_INDEX,
	RIGHT_REFERENCES,
	RIGHT_READ_ONLY_ADMIN, /* of the server, which then may be read-only; not needed else */
	RIGHT_COUNT
};

/* The word of GRANT for a right. */
const char *store_right_name(enum store_right right);

/* Reads which rights our user has on the database, itself and by its role. */
bool store_server_rights(struct db *db, bool has_r[RIGHT_COUNT], GError **error);

/* A domain of any workspace. */
struct store_server_domain {
	struct base_id id, workspace_id;
	char *name;
	char *return_path; /* the label of its return paths */
	bool trusted, may_send;
	char *route; /* its own one, or its workspace's: names, separated by blanks; NULL: none */
};

/* All domains, oldest first, as an array of struct store_server_domain. The caller owns it. */
GPtrArray *store_server_domains(struct db *db, GError **error);

/* A sender below the domain's name, such as "Shop <a@mail.example.com>" for example.com, among the
   workspace's newest 10000 emails; NULL when there is none. The caller owns it. */
bool store_server_lower_sender(
    struct db *db, const struct store_server_domain *domain, char **sender_r, GError **error);

/* A domain or a workspace with a route. */
struct store_server_route {
	char *whose; /* its name */
	char *names; /* of relays, separated by blanks */
};

/* All routes, those of workspaces first, as an array of struct store_server_route. The caller owns
   it. */
GPtrArray *store_server_routes(struct db *db, GError **error);

/* The user who was added first, with the workspace. *found_r is false when there is none. */
bool store_server_user(struct db *db, struct base_id *workspace_r, struct base_id *user_r,
    bool *found_r, GError **error);

#endif
