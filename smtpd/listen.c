/* SPDX-License-Identifier: MIT */
/* Finds or opens the sockets at which clients arrive. */
#include "smtpd/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"

#define FIRST_FD 3 /* SD_LISTEN_FDS_START */
#define BACKLOG 1024
#define TLS_SUFFIX "/tls"
#define TLS_NAME "tls"

static void
listen_add(GArray *listeners, int fd, bool is_tls)
{
	const struct smtpd_listener listener = {fd, is_tls};

	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	g_array_append_val(listeners, listener);
}

static bool
listen_is_listener(int fd)
{
	socklen_t size = sizeof(int);
	int accepts = 0;

	return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) == 0 && accepts;
}

void
smtpd_listen_inherit(GArray *listeners)
{
	const char *pid = g_getenv("LISTEN_PID"), *fds = g_getenv("LISTEN_FDS");
	const char *given = g_getenv("LISTEN_FDNAMES");
	g_auto(GStrv) names = g_strsplit(given ? given : "", ":", -1);
	guint name_count = g_strv_length(names);
	guint64 number, count;

	if (!pid || !g_ascii_string_to_unsigned(pid, 10, 0, G_MAXINT, &number, NULL) ||
	    number != (guint64)getpid() || !fds ||
	    !g_ascii_string_to_unsigned(fds, 10, 0, 1024, &count, NULL))
		return;
	for (guint i = 0; i < count; i++)
		if (listen_is_listener(FIRST_FD + (int)i))
			listen_add(listeners, FIRST_FD + (int)i,
			    i < name_count && strcmp(names[i], TLS_NAME) == 0);
	g_unsetenv("LISTEN_PID");
	g_unsetenv("LISTEN_FDS");
	g_unsetenv("LISTEN_FDNAMES");
}

union place {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool
listen_parse(const char *text, union place *place_r, socklen_t *size_r, bool *is_tls_r)
{
	*is_tls_r = g_str_has_suffix(text, TLS_SUFFIX);
	g_autofree char *address =
	    g_strndup(text, strlen(text) - (*is_tls_r ? strlen(TLS_SUFFIX) : 0));
	char *colon = strrchr(address, ':');
	guint64 port;

	memset(place_r, 0, sizeof(*place_r));
	if (!colon || !g_ascii_string_to_unsigned(colon + 1, 10, 0, G_MAXUINT16, &port, NULL))
		return false;
	*colon = '\0';
	if (*address == '[' && colon[-1] == ']') {
		colon[-1] = '\0';
		place_r->v6.sin6_family = AF_INET6;
		place_r->v6.sin6_port = htons((guint16)port);
		*size_r = sizeof(place_r->v6);
		return inet_pton(AF_INET6, address + 1, &place_r->v6.sin6_addr) == 1;
	}
	place_r->v4.sin_family = AF_INET;
	place_r->v4.sin_port = htons((guint16)port);
	*size_r = sizeof(place_r->v4);
	return inet_pton(AF_INET, address, &place_r->v4.sin_addr) == 1;
}

bool
smtpd_listen_check(const char *text, GError **error)
{
	union place place;
	socklen_t size;
	bool is_tls;

	return listen_parse(text, &place, &size, &is_tls) ||
	       base_invalid(error,
		   "--listen takes ADDRESS:PORT, an IPv6 address in brackets, and /tls behind it "
		   "for TLS from the first byte, not '%s'",
		   text);
}

bool
smtpd_listen_open(GArray *listeners, const char *text, GError **error)
{
	union place place;
	socklen_t size;
	bool is_tls;
	int one = 1;

	if (!listen_parse(text, &place, &size, &is_tls))
		return smtpd_listen_check(text, error);
	int fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
		if (place.any.sa_family == AF_INET6)
			setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	}
	if (fd < 0 || bind(fd, &place.any, size) != 0 || listen(fd, BACKLOG) != 0) {
		base_fail(
		    error, PH_ERROR_FAILED, "cannot listen at %s: %s", text, g_strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	listen_add(listeners, fd, is_tls);
	return true;
}
