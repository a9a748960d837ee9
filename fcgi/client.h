/* SPDX-License-Identifier: MIT */
#ifndef FCGI_CLIENT_H
#define FCGI_CLIENT_H

#include <glib.h>
#include <stdbool.h>

#include "base/network.h"

struct fcgi_request;
struct base_settings;

/* The IP address of whoever sent a request, in text_r; false when nobody can tell. It is the other
   end of the connection; where that lies in [service] trust_proxy, it is the right-most address of
   X-Forwarded-For that does not, or else the left-most one there. What is no address in that header
   (with or without a port) is passed over. */
bool fcgi_client_address(const struct fcgi_request *request, const struct base_settings *settings,
    char text_r[ADDRESS_TEXT_SIZE]);

#endif
