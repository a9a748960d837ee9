/* SPDX-License-Identifier: MIT */
/* The last uses of API keys. */
#ifndef SERVICE_KEY_USE_H
#define SERVICE_KEY_USE_H

#include <glib.h>
#include <stdbool.h>

struct service;
struct store_key;

/* Notes that a key is used now. Its first use is stored at once, if is_fresh says that the key was
   just read. A later one is kept until service_key_store_uses, at most once in STORE_KEY_USE_MS. */
void service_key_use(struct service *service, const struct store_key *key, bool is_fresh);

/* Whether uses are kept. */
bool service_key_has_uses(const struct service *service);

/* Inside a transaction: stores them. Once that is committed, service_key_forget_uses drops them. */
bool service_key_store_uses(struct service *service, GError **error);
void service_key_forget_uses(struct service *service);

#endif
