/* SPDX-License-Identifier: MIT */
/* Asks many DNS questions at the same time with c-ares. */
#define CARES_NO_DEPRECATED /* the deprecated functions exist in all versions */
#include "dns/resolver.h"

#include <ares.h>
#include <poll.h>
#include <string.h>
#include <sys/time.h>

#include "base/clock.h"
#include "base/error.h"
#include "dns/reply.h"

#define CLASS_IN 1
#define ALIASES_MAX 8
#define TRIES 3
#define EDNS_SIZE 1232 /* fits into one packet on any path; larger answers come by TCP */

struct session {
	ares_channel channel;
	GArray *sockets; /* struct pollfd */
	guint open;	 /* questions without an outcome */
};

/* A question that has been sent. */
struct query {
	struct session *session;
	struct dns_question *question;
	char *name; /* the current name: the question's own, or the target of an alias */
	guint aliases;
};

static void on_reply(void *arg, int status, int timeouts, unsigned char *reply, int size);

static void
resolver_ask(struct query *query)
{
	ares_query(query->session->channel, query->name, CLASS_IN,
	    dns_reply_code(query->question->type), on_reply, query);
}

/* Reads a reply; returns whether the query goes on with another name. */
static bool
resolver_read_reply(struct query *query, int status, const guint8 *reply, int size)
{
	char *alias = NULL;

	/* A name that cannot be encoded cannot exist. */
	if (status == ARES_EBADNAME)
		query->question->outcome = DNS_NO_NAME;
	if (status != ARES_SUCCESS && status != ARES_ENODATA && status != ARES_ENOTFOUND)
		return false;
	if (!reply || !dns_reply_read(reply, (gsize)size, query->name, query->question, &alias))
		return false;
	if (!alias || query->aliases++ >= ALIASES_MAX) {
		g_free(alias);
		return false;
	}
	g_free(query->name);
	query->name = alias;
	return true;
}

static void
on_reply(void *arg, int status, int timeouts, unsigned char *reply, int size)
{
	struct query *query = arg;

	if (resolver_read_reply(query, status, reply, size)) {
		resolver_ask(query);
		return;
	}
	query->session->open--;
	g_free(query->name);
	g_free(query);
}

static void
on_socket(void *data, ares_socket_t fd, int readable, int writable)
{
	struct session *session = data;
	struct pollfd entry = {fd, (short)((readable ? POLLIN : 0) | (writable ? POLLOUT : 0)), 0};

	for (guint i = 0; i < session->sockets->len; i++)
		if (g_array_index(session->sockets, struct pollfd, i).fd == fd) {
			g_array_remove_index_fast(session->sockets, i);
			break;
		}
	if (entry.events)
		g_array_append_val(session->sockets, entry);
}

/* The time to wait for the sockets: until c-ares needs to try again, or until the end. */
static int
wait_ms(struct session *session, gint64 left_ms)
{
	struct timeval most = {left_ms / 1000, (left_ms % 1000) * 1000}, next;
	const struct timeval *wait = ares_timeout(session->channel, &most, &next);

	return (int)(wait->tv_sec * 1000 + (wait->tv_usec + 999) / 1000);
}

static void
resolver_run(struct session *session, gint64 end)
{
	while (session->open > 0) {
		gint64 left = end - base_clock_boot();

		if (left <= 0)
			break;
		/* A copy, because ares_process_fd can change the list. */
		g_autoptr(GArray) sockets = g_array_copy(session->sockets);
		struct pollfd *fds = (struct pollfd *)(void *)sockets->data;
		int ready = poll(fds, sockets->len, wait_ms(session, left));
		for (guint i = 0; ready > 0 && i < sockets->len; i++)
			if (fds[i].revents)
				ares_process_fd(session->channel,
				    fds[i].revents & ~POLLOUT ? fds[i].fd : ARES_SOCKET_BAD,
				    fds[i].revents & POLLOUT ? fds[i].fd : ARES_SOCKET_BAD);
		ares_process_fd(session->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	}
	ares_cancel(session->channel);
}

static bool
open_channel(struct session *session, const char *const *servers, guint limit_ms, GError **error)
{
	struct ares_options options = {
	    .flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_EDNS,
	    .ednspsz = EDNS_SIZE,
	    .timeout = (int)MAX(limit_ms / 6, 100), /* of the first try; later ones wait longer */
	    .tries = TRIES,
	    .sock_state_cb = on_socket,
	    .sock_state_cb_data = session,
	};
	g_autofree char *list = g_strjoinv(",", (char **)servers);
	int status = ares_library_init(ARES_LIB_INIT_ALL);

	if (status == ARES_SUCCESS)
		status = ares_init_options(&session->channel, &options,
		    ARES_OPT_FLAGS | ARES_OPT_EDNSPSZ | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
			ARES_OPT_SOCK_STATE_CB);
	if (status == ARES_SUCCESS && *list)
		status = ares_set_servers_ports_csv(session->channel, list);
	if (status == ARES_SUCCESS)
		return true;
	return base_fail(error, PH_ERROR_FAILED, "the DNS resolver could not be set up: %s",
	    ares_strerror(status));
}

bool
dns_ask(const char *const *servers, struct dns_question *const *questions, guint count,
    guint limit_ms, GError **error)
{
	g_autoptr(GArray) sockets = g_array_new(FALSE, FALSE, sizeof(struct pollfd));
	struct session session = {.sockets = sockets, .open = count};
	gint64 end = base_clock_boot() + limit_ms;
	bool opened = open_channel(&session, servers, limit_ms, error);

	for (guint i = 0; opened && i < count; i++) {
		struct query *query = g_new0(struct query, 1);

		query->session = &session;
		query->question = questions[i];
		query->name = g_strdup(questions[i]->name);
		if (g_str_has_suffix(query->name, "."))
			query->name[strlen(query->name) - 1] = '\0';
		resolver_ask(query);
	}
	if (opened)
		resolver_run(&session, end);
	if (session.channel)
		ares_destroy(session.channel);
	ares_library_cleanup();
	return opened;
}
