/* SPDX-License-Identifier: MIT */
/* An HTTP server on loopback that sends any bytes a test wants, valid or not. */
#ifndef SUPPORT_HTTP_SERVER_H
#define SUPPORT_HTTP_SERVER_H

#include <glib.h>
#include <stdbool.h>

struct http_server;
struct http_peer;
struct ssl_ctx_st;

/* Serves each connection in a thread of its own: one request, up to the empty line after its
   headers, then serve, then the connection is closed. address: "127.0.0.2", "::1"; the port is a
   free one. tls: the context to accept with (SSL_CTX), NULL for none; it outlives the server. Ends
   the test if the address cannot be bound. */
struct http_server *http_server_start(const char *address, struct ssl_ctx_st *tls,
    void (*serve)(struct http_peer *peer, const char *request, void *data), void *data);

/* Waits until the last connection has been served; clients are gone by then. */
void http_server_stop(struct http_server *server);

int http_server_port(struct http_server *server);

/* The number of connections so far, with or without a request. */
int http_server_count(struct http_server *server);

/* The last request, unchanged; "" if there was none. The caller owns it. */
char *http_server_last(struct http_server *server);

/* Sends bytes. Returns false when the client is gone. */
bool http_peer_send(struct http_peer *peer, const char *bytes, gsize size);

/* Waits until the client is gone (true), but for timeout_ms at most; -1: as long as it takes. */
bool http_peer_left(struct http_peer *peer, int timeout_ms);

/* Resets the connection instead of ending it. */
void http_peer_reset(struct http_peer *peer);

#endif
