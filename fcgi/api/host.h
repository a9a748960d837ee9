/* SPDX-License-Identifier: MIT */
/* The host that a request names. */
#ifndef FCGI_API_HOST_H
#define FCGI_API_HOST_H

#include <glib.h>
#include <stdbool.h>

struct fcgi_request;
struct service;

/* The host of a request in lower case, without port and final dot; NULL: it names none. The caller
   owns it. */
char *fcgi_host_of(const struct fcgi_request *request);

/* Whether the host of a request has its path: a tracking host of a domain has links, forms,
   pictures and the health alone. Other hosts have all; those that are not the service's own cost a
   statement. Errors of service_ensure and db/statement.h. */
bool fcgi_host_serves(
    struct service *service, const struct fcgi_request *request, bool *serves_r, GError **error);

#endif
