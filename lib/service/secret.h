/* SPDX-License-Identifier: MIT */
/* The secrets of a workspace, encrypted with the secret of the installation. */
#ifndef SERVICE_SECRET_H
#define SERVICE_SECRET_H

#include <glib.h>

struct base_id;
struct service;

/* The name of the secret that signs requests of workflows. */
#define SERVICE_SECRET_SIGNING "signing"
/* Its value begins so, and goes on in base64. */
#define SERVICE_SECRET_PREFIX "whsec_"

/* Encrypts a value; the caller owns the result. */
GBytes *service_secret_seal(const struct service *service, const struct base_id *workspace,
    const char *name, const char *value);

/* The value of a secret, which the caller owns. NOT_FOUND "Secret not found"; FAILED when it cannot
   be decrypted; errors of db/statement.h. */
char *service_secret_open(
    struct service *service, const struct base_id *workspace, const char *name, GError **error);

/* The key of the secret that signs; NULL with NOT_FOUND where there is none. The caller owns it. */
GBytes *service_secret_key(
    struct service *service, const struct base_id *workspace, GError **error);

#endif
