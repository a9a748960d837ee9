/* SPDX-License-Identifier: MIT */
/* Reads the relays from the settings, and shares their state among the processes of a machine. */
#include "core/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/lock.h"
#include "base/settings.h"

GPtrArray *
core_relay_list(const struct base_settings *settings)
{
	GPtrArray *relays = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < base_settings_relay_count(settings); i++) {
		const struct base_relay *from = base_settings_relay(settings, i);
		struct smtp_relay *relay = g_new(struct smtp_relay, 1);

		*relay = (struct smtp_relay){
		    .name = from->name,
		    .host = from->host,
		    .port = from->port,
		    .tls = from->tls,
		    .verifies = from->verifies,
		    .unverified = from->unverified,
		    .tls_ca = from->tls_ca,
		    .tls_name = from->tls_name,
		    .tls_cert = from->tls_cert,
		    .tls_key = from->tls_key,
		    .user = from->user,
		    .password = from->password,
		    .auth = from->auth,
		    .token_command = from->token_command,
		    .source = from->source,
		    .helo = from->helo,
		    .connect_timeout_s = from->connect_timeout_s,
		    .timeout_s = from->timeout_s,
		    .dot_timeout_s = from->data_timeout_s,
		    .dsn = from->dsn,
		};
		g_ptr_array_add(relays, relay);
	}
	return relays;
}

#define REST_MS 60000
#define SESSIONS_MAX 1000
#define STATE_BYTE 0 /* locked while the state is read and changed */
#define SESSION_BYTE                                                                               \
	64 /* the first of the sessions' bytes, each locked while its session lasts                \
	    */

/* The state of a relay. Times count from the boot, since nobody sets that clock; a state from an
   earlier boot is ignored. So is a time too far ahead, which a process with --now has written. */
struct state {
	char boot[40];	     /* the kernel's id of the boot, a UUID; "": none */
	gint64 rests_until;  /* on rest_clock */
	gint64 next_message; /* on base_clock_boot, in microseconds */
};

G_STATIC_ASSERT(sizeof(struct state) <= SESSION_BYTE);

struct core_relay_slot {
	int fd;
	guint index;
	guint rate; /* messages per second, 0 = no limit */
	GPtrArray *relays;
};

/* The time since the boot, moved by --now. */
static gint64
rest_clock(void)
{
	return base_clock_boot() + base_clock_shift();
}

static void
read_boot(char boot_r[sizeof((struct state){0}.boot)])
{
	g_autofree char *id = NULL;

	if (!g_file_get_contents("/proc/sys/kernel/random/boot_id", &id, NULL, NULL))
		id = g_strdup("");
	g_strlcpy(boot_r, id, sizeof((struct state){0}.boot));
}

/* The rest of the relay's rest, in ms; 0: it does not rest. */
static gint64
rest_left(const struct state *state)
{
	gint64 left = state->rests_until - rest_clock();

	return left > 0 && left <= REST_MS ? left : 0;
}

static struct state
read_state(int fd)
{
	struct state state, fresh = {.rests_until = 0};

	read_boot(fresh.boot);
	if (pread(fd, &state, sizeof(state), 0) != (ssize_t)sizeof(state) ||
	    memcmp(state.boot, fresh.boot, sizeof(state.boot)) != 0)
		return fresh;
	if (state.next_message > (base_clock_boot() + REST_MS) * 1000)
		state.next_message = 0;
	return state;
}

static char *
name_of(const struct smtp_relay *relay)
{
	return g_strdup_printf("%s:%u", relay->host, relay->port);
}

static int
open_state(const struct base_settings *settings, const struct smtp_relay *relay, GError **error)
{
	g_autofree char *name = name_of(relay);
	g_autofree char *file = g_strconcat("relay.", name, NULL);
	g_autofree char *path =
	    g_build_filename(base_settings_text(settings, SETTING_SPOOL_DIR), file, NULL);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED,
		    "cannot open %s: %s; nothing is sent until it can be", path, g_strerror(errno));
	return fd;
}

static bool
take_session(int fd, guint limit)
{
	guint sessions = limit ? limit : SESSIONS_MAX;

	for (guint i = 0; i < sessions; i++)
		if (base_lock_byte(fd, F_OFD_SETLK, F_WRLCK, SESSION_BYTE + (off_t)i))
			return true;
	return limit == 0;
}

struct core_relay_slot *
core_relay_slot_take(const struct base_settings *settings, guint first, GError **error)
{
	g_autoptr(GPtrArray) relays = core_relay_list(settings);

	for (guint i = first; i < relays->len; i++) {
		int fd = open_state(settings, relays->pdata[i], error);

		if (fd < 0)
			return NULL;
		struct state state = read_state(fd);
		if (rest_left(&state) == 0 &&
		    take_session(fd, base_settings_relay(settings, i)->connections)) {
			struct core_relay_slot *slot = g_new0(struct core_relay_slot, 1);
			*slot = (struct core_relay_slot){fd, i,
			    base_settings_relay(settings, i)->rate, g_steal_pointer(&relays)};
			return slot;
		}
		close(fd);
	}
	return NULL;
}

void
core_relay_slot_free(struct core_relay_slot *slot)
{
	close(slot->fd);
	g_ptr_array_unref(slot->relays);
	g_free(slot);
}

const struct smtp_relay *
core_relay_slot_relay(const struct core_relay_slot *slot)
{
	return slot->relays->pdata[slot->index];
}

guint
core_relay_slot_index(const struct core_relay_slot *slot)
{
	return slot->index;
}

static void
write_state(int fd, const struct state *state)
{
	/* If this fails, the relay is only tried again too early. */
	if (pwrite(fd, state, sizeof(*state), 0) != (ssize_t)sizeof(*state))
		return;
}

void
core_relay_slot_rest(struct core_relay_slot *slot)
{
	if (!base_lock_byte(slot->fd, F_OFD_SETLKW, F_WRLCK, STATE_BYTE))
		return;
	struct state state = read_state(slot->fd);
	state.rests_until = rest_clock() + REST_MS;
	write_state(slot->fd, &state);
	base_lock_byte(slot->fd, F_OFD_SETLK, F_UNLCK, STATE_BYTE);
}

gint64
core_relay_slot_wait(struct core_relay_slot *slot)
{
	gint64 now = base_clock_boot() * 1000;

	if (slot->rate == 0 || !base_lock_byte(slot->fd, F_OFD_SETLKW, F_WRLCK, STATE_BYTE))
		return 0;
	struct state state = read_state(slot->fd);
	gint64 turn = MAX(state.next_message, now);
	state.next_message = turn + G_USEC_PER_SEC / slot->rate;
	write_state(slot->fd, &state);
	base_lock_byte(slot->fd, F_OFD_SETLK, F_UNLCK, STATE_BYTE);
	return (turn - now) / 1000;
}

static guint
count_sessions(int fd)
{
	guint count = 0;

	for (off_t at = SESSION_BYTE; at < SESSION_BYTE + SESSIONS_MAX; at++) {
		struct flock range = {
		    .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};

		count += fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
	}
	return count;
}

bool
core_relay_slot_report(
    const struct base_settings *settings, guint index, struct core_relay_report *report_r)
{
	g_autoptr(GPtrArray) relays = core_relay_list(settings);
	int fd;

	if (index >= relays->len)
		return false;
	*report_r = (struct core_relay_report){.name = name_of(relays->pdata[index])};
	fd = open_state(settings, relays->pdata[index], NULL);
	if (fd < 0)
		return true;
	struct state state = read_state(fd);
	gint64 left = rest_left(&state);
	report_r->rests_until = left > 0 ? base_clock_now() + left : 0;
	report_r->sessions = count_sessions(fd);
	close(fd);
	return true;
}
