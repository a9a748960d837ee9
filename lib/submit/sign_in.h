/* SPDX-License-Identifier: MIT */
/* Signing in: links, the mail that brings one, and their use. */
#ifndef SUBMIT_SIGN_IN_H
#define SUBMIT_SIGN_IN_H

#include <glib.h>
#include <stdbool.h>

#include "base/secret.h"
#include "link/token.h"
#include "store/workspace/sign_in.h"

struct config_settings;
struct service;
struct store_user_workspace;

#define SUBMIT_SIGN_IN_HTTPS "Sign-in needs https"

/* Whether [service] url is https, or http on this machine (127.0.0.0/8, ::1, localhost). Only then
   people sign in. */
bool submit_sign_in_is_safe(const struct config_settings *settings);

/* Whether that URL is https. */
bool submit_sign_in_is_https(const struct config_settings *settings);

/* Makes a token of 256 random bits. hash_r: its SHA-256, by which it is stored. */
void submit_sign_in_token(char text_r[LINK_SIGN_IN_TOKEN_SIZE], guint8 hash_r[SHA256_SIZE]);

/* The SHA-256 of a token; false when the text is not the form of one. */
bool submit_sign_in_hash(const char *token, guint8 hash_r[SHA256_SIZE]);

/* Stores a link for a person, as store_sign_in_add does, and gives its URL. The caller owns it. */
char *submit_sign_in_link(struct service *service, const char *email,
    const struct store_user_workspace *first, const guint8 *browser, GError **error);

/* Sends a link to the person with this address, as mail of the service itself
   (submit/service_mail.h) in the name of the person's workspaces. user_r, which is not changed for
   an unknown address: the person's id in the first one; *known_r whether there is one. */
bool submit_sign_in_mail(struct service *service, const char *email, const guint8 *browser,
    struct base_id *user_r, bool *known_r, GError **error);

/* Sends a person who is invited into a workspace the invitation, likewise; or, with is_active, one
   who is a user of it already, and of no other, where to sign in. */
bool submit_sign_in_invite(struct service *service, const struct base_id *workspace,
    const char *email, bool is_active, GError **error);

/* Counts an attempt of the network of a client (NULL: not known; loopback is none). LIMITED when it
   has made more than [session] attempts this hour; *wait_s_r is then after how many seconds the
   next hour begins, else 0. */
bool submit_sign_in_count_network(
    struct service *service, const char *client, gint64 *wait_s_r, GError **error);

/* Counts a link for an address. LIMITED when there were [session] attempts of it this hour and the
   last one was just now (store_sign_in_pass); *wait_s_r as above. So nobody locks an address out.
 */
bool submit_sign_in_count_address(
    struct service *service, const char *email, gint64 *wait_s_r, GError **error);

/* The text by which a browser proves that it had a session of the person with this address, whose
   links it gets whatever is counted. It gives no other right. The caller owns it. */
char *submit_sign_in_proof(const struct service *service, const char *email);
bool submit_sign_in_is_proof(const struct service *service, const char *email, const char *proof);

#endif
