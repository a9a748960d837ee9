/* SPDX-License-Identifier: MIT */
/* Asks many questions at once, over c-ares. */
#define CARES_NO_DEPRECATED /* its older calls are those that all versions have */
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
#define EDNS_SIZE 1232 /* fits any path; what is larger comes by TCP */

struct session {
	ares_channel channel;
	GArray *sockets; /* struct pollfd */
	guint open;	 /* questions without an outcome */
};

/* A question on its way. */
struct errand {
	struct session *session;
	struct dns_question *question;
	char *name; /* asked for now: the question's own, or what it is an alias of */
	guint aliases;
};

static void on_reply(void *arg, int status, int timeouts, unsigned char *reply, int size);

static void
ask(struct errand *errand)
{
	ares_query(errand->session->channel, errand->name, CLASS_IN,
	    dns_reply_code(errand->question->type), on_reply, errand);
}

/* Whether the errand goes on, for another name. */
static bool
take(struct errand *errand, int status, const guint8 *reply, int size)
{
	char *alias = NULL;

	/* A name that cannot be asked for is nobody's. */
	if (status == ARES_EBADNAME)
		errand->question->outcome = DNS_NO_NAME;
	if (status != ARES_SUCCESS && status != ARES_ENODATA && status != ARES_ENOTFOUND)
		return false;
	if (!reply || !dns_reply_read(reply, (gsize)size, errand->name, errand->question, &alias))
		return false;
	if (!alias || errand->aliases++ >= ALIASES_MAX) {
		g_free(alias);
		return false;
	}
	g_free(errand->name);
	errand->name = alias;
	return true;
}

static void
on_reply(void *arg, int status, int timeouts, unsigned char *reply, int size)
{
	struct errand *errand = arg;

	if (take(errand, status, reply, size)) {
		ask(errand);
		return;
	}
	errand->session->open--;
	g_free(errand->name);
	g_free(errand);
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

/* How long to wait for the sockets: until the first try is over, or all is. */
static int
wait_ms(struct session *session, gint64 left_ms)
{
	struct timeval most = {left_ms / 1000, (left_ms % 1000) * 1000}, next;
	const struct timeval *wait = ares_timeout(session->channel, &most, &next);

	return (int)(wait->tv_sec * 1000 + (wait->tv_usec + 999) / 1000);
}

static void
work(struct session *session, gint64 end)
{
	while (session->open > 0) {
		gint64 left = end - base_clock_boot();

		if (left <= 0)
			break;
		/* A copy: what is done with one may change the others. */
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
	    .timeout = (int)MAX(limit_ms / 6, 100), /* of the first try; the next wait longer */
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
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "the DNS resolver could not be set up: %s",
	    ares_strerror(status));
	return false;
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
		struct errand *errand = g_new0(struct errand, 1);

		errand->session = &session;
		errand->question = questions[i];
		errand->name = g_strdup(questions[i]->name);
		if (g_str_has_suffix(errand->name, "."))
			errand->name[strlen(errand->name) - 1] = '\0';
		ask(errand);
	}
	if (opened)
		work(&session, end);
	if (session.channel)
		ares_destroy(session.channel);
	ares_library_cleanup();
	return opened;
}
