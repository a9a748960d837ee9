/* SPDX-License-Identifier: MIT */
/* The settings that a sending domain has of its own. */
#ifndef DOMAIN_SETTINGS_H
#define DOMAIN_SETTINGS_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct config_settings;
struct json_view;
struct service;
struct store_domain;

/* The words of the API for tls. */
const char *domain_settings_tls_name(bool enforced);

/* Reads the word. INVALID. */
bool domain_settings_tls(const char *word, bool *enforced_r, GError **error);

/* The label of return paths, in lower case. INVALID unless it is one label of a host name. The
   caller owns it. */
char *domain_settings_return_path(const char *text, GError **error);

/* The tracking host of labels in front of a domain's name, in lower case. INVALID for labels of no
   host name, for the host of the return paths, and where links can lead to no host of the settings.
   The caller owns it. */
char *domain_settings_host(const struct config_settings *settings, const char *labels,
    const char *name, const char *return_path, GError **error);

/* The labels of a domain's tracking host; NULL: none. The caller owns it. */
char *domain_settings_subdomain(const struct store_domain *domain);

/* The settings to change. */
struct domain_settings_wish {
	const char *tls; /* the word; NULL: as it is */
	bool sets_subdomain;
	const char *subdomain; /* NULL: none */
};

/* Changes settings. INVALID, NOT_FOUND. */
bool domain_settings_change(struct service *service, const struct base_id *workspace,
    const struct base_id *id, const struct domain_settings_wish *wish, GError **error);

/* The members of the settings of a domain (struct store_domain) that was read with its check. The
   context is struct config_settings. */
extern const struct json_view domain_settings_view;

#endif
