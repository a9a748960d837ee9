/* SPDX-License-Identifier: MIT */
/* The settings of sending domains, and the hosts that they give to links. Errors that a function
   does not name are those of db/transaction.h. */
#ifndef STORE_DOMAIN_SETTINGS_H
#define STORE_DOMAIN_SETTINGS_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct db;
struct store_domain;

/* The settings to change; a member that is NULL or false stays as it is. */
struct store_domain_settings {
	const bool *tls_enforced;
	bool sets_host;
	const char *host; /* NULL takes the tracking host away */
};

/* Changes settings. Another tracking host is not used until a check has found and reached it, which
   is due at now (epoch ms); a check that is under way is not recorded. NOT_FOUND. */
bool store_domain_settings_change(struct db *db, const struct base_id *workspace,
    const struct base_id *id, const struct store_domain_settings *change, gint64 now,
    GError **error);

/* Notes that a claimed check has found the record of the tracking host, before the host is asked:
   its web server may ask for that (store_domain_host_found). */
bool store_domain_settings_found(
    struct db *db, const struct store_domain *domain, gint64 token, GError **error);

/* Whether a host, in lower case, is the tracking host of a domain of any workspace; *verified_r:
   of one that may send. */
bool store_domain_host_find(
    struct db *db, const char *host, bool *known_r, bool *verified_r, GError **error);

/* Whether a check has found the record of that tracking host since a time (epoch ms). */
bool store_domain_host_found(
    struct db *db, const char *host, gint64 since, bool *found_r, GError **error);

/* Whether host, in lower case, is that of return paths of a domain of any workspace. */
bool store_domain_host_returns(struct db *db, const char *host, bool *is_r, GError **error);

#endif
