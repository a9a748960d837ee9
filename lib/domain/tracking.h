/* SPDX-License-Identifier: MIT */
/* The host that a domain gives to the links of its mail: where its DNS record leads, and whether it
   answers as this installation. */
#ifndef DOMAIN_TRACKING_H
#define DOMAIN_TRACKING_H

#include <glib.h>
#include <stdbool.h>

#include "domain/zone.h"

struct config_settings;
struct dns_question;
struct service;
struct store_domain;

/* How long a record that was found lets a web server get a certificate for its host. */
#define DOMAIN_TRACKING_KNOWN_MS (30LL * 24 * 60 * 60 * 1000)

/* The state of a tracking host: the word of the API. The domain was read with its check. */
const char *domain_tracking_status(
    const struct store_domain *domain, const struct config_settings *settings);

/* The questions besides the one for the CNAME of a tracking host: the addresses of the host, and
   those of its target. */
enum { TRACKING_A, TRACKING_AAAA, TRACKING_TARGET_A, TRACKING_TARGET_AAAA, TRACKING_QUESTIONS };
GPtrArray *domain_tracking_questions(const struct domain_zone_record *record);

/* The state of the record by the answers: FOUND when the chain of CNAMEs leads to the target, or
   all addresses are the target's. *found_r is the name or the addresses that DNS has; NULL for
   none. The caller owns it. */
enum domain_zone_state domain_tracking_match(const struct domain_zone_record *record,
    const struct dns_question *cname, const GPtrArray *questions, char **found_r);

/* The proof that this installation answers for a host, by its secret: base64url. random: the text
   of the question. The caller owns it. */
char *domain_tracking_proof(
    const struct config_settings *settings, const char *random, const char *host);

/* Whether random may be the text of a question. */
bool domain_tracking_is_random(const char *random);

/* Asks a tracking host whether it is this installation: at the scheme and port of [service] url, at
   the addresses of the target that questions have (else those that the system knows), and at no
   others, with TLS for the host. INVALID with a sentence why not. Any thread may call it. */
bool domain_tracking_ask(const struct config_settings *settings, const char *host,
    const GPtrArray *questions, GError **error);

/* Whether a host may be a tracking host of some domain: it is no address, and no name of the
   installation. */
bool domain_tracking_may_be_host(const struct config_settings *settings, const char *host);

/* Whether requests with this Host (lower case, without port) are for a tracking host, and for
   nothing but links. The names of the installation itself never are, nor names beside them that
   nobody has verified. Errors of db/statement.h. */
bool domain_tracking_is_host(struct service *service, const char *host, bool *is_r, GError **error);

#endif
