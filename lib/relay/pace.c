/* SPDX-License-Identifier: MIT */
/* Keeps the paces of destinations in a file: a table of states, and behind it the last reply of
   each.

   A state is that of a destination and a relay, or, for the limits of [pace DOMAIN], of a
   destination alone. Its place is one of a few that a hash of both chooses. One lock guards the
   table; another lock stands for each message under way to a destination whose connections are
   limited. The kernel releases the locks of a process that ends. */
#include "relay/pace.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "config/settings.h"
#include "process/lock.h"
#include "relay/destination.h"

#define FILE_NAME "paces"
#define FORMAT "posthouse paces 1"
#define PLACES 1024
#define CHOICE 8 /* places of one hash */
#define REPLY_SIZE 256
#define TABLE_LOCK ((off_t)1 << 24)
#define CONNECTION_LOCKS ((off_t)1 << 25)
#define CONNECTIONS_MAX 1000
#define MINUTE_US (60 * (gint64)G_USEC_PER_SEC)
#define ACCEPTANCES 10 /* in a row take a deferral back */
/* A turn that is taken late does not delay the next ones, if it is not later than half of an
   interval, within these bounds. */
#define LATE_MIN_US (G_USEC_PER_SEC / 10)
#define LATE_MAX_US (G_USEC_PER_SEC / 2)
/* Turns are booked for so many intervals, within these bounds: the pace may change until then. */
#define BOOKED 10
#define BOOKED_MIN_US MINUTE_US
#define BOOKED_MAX_US (10 * MINUTE_US)
#define AGAIN_MS 1000 /* until another message may be under way */

/* The attempts a minute after so many deferrals. */
static const guint ladder[] = {0, 60, 30, 15, 8, 4, 2, 1};

/* The beginning of the file. Times of another boot mean nothing, so it names the boot. */
struct head {
	char format[24];
	char boot[40];
	guint64 slowed; /* how often a destination was slowed that had no deferrals */
};

/* Times are those of clock_us. */
struct state {
	guint64 mark[2]; /* the hash of relay and destination; 0: a free place */
	gint64 next;	 /* no attempt before it */
	gint64 booked;	 /* the last turn that was given to a waiting message */
	gint64 used;	 /* when it was last changed */
	guint32 deferrals;
	guint32 accepted; /* since the last deferral, or since one was taken back */
};

/* A state and its place. */
struct found {
	struct state state;
	guint place;
};

/* A message under way to a destination whose connections are limited. */
struct under_way {
	const void *message;
	off_t lock;
};

struct relay_pace {
	const struct config_settings *settings;
	int fd;		/* -1: no file */
	guint64 slowed; /* as it was when is_slowed was found */
	bool is_slowed; /* a destination has deferrals */
	bool is_read;	/* the two above are known */
	GArray *under_way;
};

/* The time since the boot, moved by --now. */
static gint64
clock_us(void)
{
	return base_clock_boot_ns() / 1000 + base_clock_shift() * 1000;
}

static off_t
offset_of(guint place)
{
	return (off_t)(sizeof(struct head) + place * sizeof(struct state));
}

static off_t
reply_offset(guint place)
{
	return offset_of(PLACES) + (off_t)place * REPLY_SIZE;
}

/* A write that fails leaves the pace as it was, which is no error of the message. */
static void
write_at(const struct relay_pace *pace, const void *data, gsize size, off_t at)
{
	if (pwrite(pace->fd, data, size, at) != (ssize_t)size)
		g_debug("paces: %s", g_strerror(errno));
}

static struct head
pace_read_head(const struct relay_pace *pace)
{
	struct head head;

	if (pread(pace->fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head))
		return (struct head){.format = ""};
	return head;
}

static bool
lock(const struct relay_pace *pace)
{
	return pace->fd >= 0 && process_lock_byte(pace->fd, F_OFD_SETLKW, F_WRLCK, TABLE_LOCK);
}

static void
unlock(const struct relay_pace *pace)
{
	process_lock_byte(pace->fd, F_OFD_SETLK, F_UNLCK, TABLE_LOCK);
}

/* Makes the file a table of this boot, unless it is one. */
static void
pace_prepare(const struct relay_pace *pace)
{
	struct head fresh = {.format = FORMAT};
	g_autofree char *boot = NULL;

	if (g_file_get_contents("/proc/sys/kernel/random/boot_id", &boot, NULL, NULL))
		g_strlcpy(fresh.boot, boot, sizeof(fresh.boot));
	if (!lock(pace))
		return;
	struct head head = pace_read_head(pace);
	if (memcmp(head.format, fresh.format, sizeof(head.format)) != 0 ||
	    memcmp(head.boot, fresh.boot, sizeof(head.boot)) != 0) {
		if (ftruncate(pace->fd, 0) != 0)
			g_debug("paces: %s", g_strerror(errno));
		write_at(pace, &fresh, sizeof(fresh), 0);
	}
	unlock(pace);
}

struct relay_pace *
relay_pace_open(const struct config_settings *settings)
{
	struct relay_pace *pace = g_new0(struct relay_pace, 1);
	g_autofree char *path =
	    g_build_filename(config_settings_text(settings, SETTING_SPOOL_DIR), FILE_NAME, NULL);

	pace->settings = settings;
	pace->under_way = g_array_new(FALSE, FALSE, sizeof(struct under_way));
	pace->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	pace_prepare(pace);
	return pace;
}

void
relay_pace_close(struct relay_pace *pace)
{
	if (pace->fd >= 0)
		close(pace->fd);
	g_array_unref(pace->under_way);
	g_free(pace);
}

/* Whether a destination has deferrals. */
static bool
scan(const struct relay_pace *pace)
{
	struct state states[PLACES];
	ssize_t size = pread(pace->fd, states, sizeof(states), offset_of(0));
	guint count = size > 0 ? (guint)((gsize)size / sizeof(struct state)) : 0;

	for (guint i = 0; i < count; i++)
		if (states[i].deferrals > 0)
			return true;
	return false;
}

bool
relay_pace_is_idle(struct relay_pace *pace)
{
	if (config_settings_pace_count(pace->settings) > 0)
		return false;
	if (pace->fd < 0)
		return true;
	struct head head = pace_read_head(pace);
	if (!pace->is_read || pace->slowed != head.slowed) {
		pace->slowed = head.slowed;
		pace->is_slowed = scan(pace);
		pace->is_read = true;
	}
	return !pace->is_slowed;
}

/* relay "": the state of the destination alone. */
static void
pace_hash(const char *relay, const char *destination, guint64 mark_r[2])
{
	g_autofree char *key = g_strdup_printf("%s %s", destination, relay);
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	guint8 digest[32];
	gsize size = sizeof(digest);

	g_checksum_update(checksum, (const guchar *)key, -1);
	g_checksum_get_digest(checksum, digest, &size);
	base_array_copy(mark_r, digest, 2, sizeof(*mark_r));
	mark_r[1] |= 1;
}

/* Whether state can better go to another owner than best. */
static bool
is_idler(const struct state *state, const struct state *best)
{
	if ((state->deferrals > 0) != (best->deferrals > 0))
		return state->deferrals == 0;
	return state->used < best->used;
}

/* Finds the state of a relay and a destination, under the lock. When there is none, it is made in
   the place that was idle the longest; nothing is written yet. False when there was none. */
static bool
pace_find(const struct relay_pace *pace, const char *relay, const char *destination,
    struct found *found_r)
{
	struct state states[CHOICE] = {0}, *best = &states[0];
	guint64 mark[2];

	pace_hash(relay, destination, mark);
	guint first = (guint)(mark[0] % (PLACES / CHOICE)) * CHOICE;
	if (pread(pace->fd, states, sizeof(states), offset_of(first)) < 0)
		g_debug("paces: %s", g_strerror(errno));
	for (guint i = 0; i < CHOICE; i++) {
		if (memcmp(states[i].mark, mark, sizeof(mark)) == 0) {
			*found_r = (struct found){states[i], first + i};
			return true;
		}
		if (is_idler(&states[i], best))
			best = &states[i];
	}
	*found_r = (struct found){{.mark = {mark[0], mark[1]}}, first + (guint)(best - states)};
	return false;
}

static void
save(const struct relay_pace *pace, struct found *found, gint64 now)
{
	found->state.used = now;
	write_at(pace, &found->state, sizeof(found->state), offset_of(found->place));
}

bool
relay_pace_is_slowed(const struct relay_pace *pace, const char *relay, const char *destination)
{
	struct found found = {.state = {.deferrals = 0}};

	if (!lock(pace))
		return false;
	pace_find(pace, relay, destination, &found);
	unlock(pace);
	return found.state.deferrals > 0;
}

/* The section of a destination, else the default one; NULL: none. */
static const struct config_pace *
section_of(const struct relay_pace *pace, const char *destination)
{
	const struct config_pace *fallback = NULL;

	for (guint i = 0; i < config_settings_pace_count(pace->settings); i++) {
		const struct config_pace *own = config_settings_pace(pace->settings, i);
		const char *joined = relay_destination_by_name(own->domain);

		if (!strcmp(joined ? joined : own->domain, destination))
			return own;
		if (!strcmp(own->domain, PACE_DEFAULT))
			fallback = own;
	}
	return fallback;
}

/* One of the two limits of a message: that of its relay, and that of the settings. */
struct limit {
	struct found found;
	gint64 interval; /* between two attempts; 0: none */
	bool waits;
};

static gint64
pace_interval_of(guint deferrals)
{
	guint rate = ladder[MIN(deferrals, G_N_ELEMENTS(ladder) - 1)];

	return rate ? MINUTE_US / rate : 0;
}

static void
pace_look(struct limit *limit, gint64 now)
{
	struct state *state = &limit->found.state;

	/* Nobody books so far ahead: the time was written by a process with --now. */
	if (state->next > now + limit->interval)
		state->next = now;
	limit->waits = limit->interval > 0 && state->next > now;
}

/* Takes the turn of a message that leaves now. */
static void
pace_take_turn(const struct relay_pace *pace, struct limit *limit, gint64 now)
{
	struct state *state = &limit->found.state;
	gint64 late = CLAMP(limit->interval / 2, LATE_MIN_US, LATE_MAX_US);

	if (limit->interval == 0)
		return;
	state->next = MAX(state->next, now - late) + limit->interval;
	save(pace, &limit->found, now);
}

/* Books the turn of a message that has to wait. */
static gint64
book(const struct relay_pace *pace, struct limit *limit, gint64 now)
{
	struct state *state = &limit->found.state;
	gint64 ahead = CLAMP(BOOKED * limit->interval, BOOKED_MIN_US, BOOKED_MAX_US);

	if (state->booked > now + ahead)
		state->booked = 0;
	gint64 turn = MAX(state->next, state->booked + limit->interval);
	/* So many wait that this one looks again when some of them have left. */
	if (turn > now + ahead)
		return now + (gint64)((double)ahead * g_random_double_range(0.5, 1));
	state->booked = turn;
	save(pace, &limit->found, now);
	return turn;
}

/* Takes one of the connections, and returns whether one was free. */
static bool
take_connection(
    struct relay_pace *pace, const struct found *found, guint connections, const void *message)
{
	off_t first = CONNECTION_LOCKS + (off_t)found->place * CONNECTIONS_MAX;

	for (guint i = 0; i < connections; i++) {
		struct under_way own = {message, first + (off_t)i};
		bool is_ours = false;

		for (guint j = 0; j < pace->under_way->len; j++)
			is_ours =
			    is_ours ||
			    g_array_index(pace->under_way, struct under_way, j).lock == own.lock;
		if (is_ours || !process_lock_byte(pace->fd, F_OFD_SETLK, F_WRLCK, own.lock))
			continue;
		g_array_append_val(pace->under_way, own);
		return true;
	}
	return connections == 0;
}

/* The last reply of a destination. The caller owns it. */
static char *
pace_read_reply(const struct relay_pace *pace, const struct found *found)
{
	char reply[REPLY_SIZE] = "";

	if (pread(pace->fd, reply, sizeof(reply) - 1, reply_offset(found->place)) < 0)
		return g_strdup("");
	return g_utf8_make_valid(reply, -1);
}

/* Says that the limit of a relay (section NULL) or of the settings keeps a message. */
static void
pace_explain(const struct relay_pace *pace, const struct limit *limit, const char *destination,
    const struct config_pace *section, struct relay_pace_wait *wait_r)
{
	if (section) {
		g_snprintf(wait_r->text, sizeof(wait_r->text), "paced: %s, %u attempts %s",
		    destination, section->rate.count, section->rate.unit);
		return;
	}
	g_autofree char *reply = pace_read_reply(pace, &limit->found);
	guint place = MIN(limit->found.state.deferrals, G_N_ELEMENTS(ladder) - 1);
	g_snprintf(wait_r->text, sizeof(wait_r->text),
	    "paced: %s defers (%s), %u attempts a minute", destination, reply, ladder[place]);
}

/* Decides on a message under the lock. */
static bool
pace_decide(struct relay_pace *pace, const char *relay, const char *destination,
    const void *message, struct relay_pace_wait *wait_r)
{
	const struct config_pace *section = section_of(pace, destination);
	gint64 now = clock_us(), turn;
	struct limit own = {.interval = 0}, set = {.interval = 0};

	pace_find(pace, relay, destination, &own.found);
	own.interval = pace_interval_of(own.found.state.deferrals);
	if (section)
		pace_find(pace, "", destination, &set.found);
	if (section && section->rate.count > 0)
		set.interval = MAX(section->rate.unit_us / section->rate.count, 1);
	pace_look(&own, now);
	pace_look(&set, now);
	if (own.waits || set.waits) {
		bool is_own =
		    own.waits && (!set.waits || own.found.state.next >= set.found.state.next);
		struct limit *limit = is_own ? &own : &set;

		turn = book(pace, limit, now);
		wait_r->until = base_clock_now() + (turn - now) / 1000 + 1;
		pace_explain(pace, limit, destination, is_own ? NULL : section, wait_r);
		return false;
	}
	if (section && !take_connection(pace, &set.found, section->connections, message)) {
		wait_r->until = base_clock_now() + AGAIN_MS;
		g_snprintf(wait_r->text, sizeof(wait_r->text), "paced: %s, %u messages at once",
		    destination, section->connections);
		return false;
	}
	pace_take_turn(pace, &own, now);
	pace_take_turn(pace, &set, now);
	/* The place of the connections is the destination's from now on. */
	if (section && section->connections > 0 && set.interval == 0)
		save(pace, &set.found, now);
	return true;
}

bool
relay_pace_take(struct relay_pace *pace, const char *relay, const char *destination,
    const void *message, struct relay_pace_wait *wait_r)
{
	*wait_r = (struct relay_pace_wait){.until = 0};
	if (!lock(pace))
		return true;
	bool taken = pace_decide(pace, relay, destination, message, wait_r);
	unlock(pace);
	return taken;
}

void
relay_pace_end(struct relay_pace *pace, const void *message)
{
	for (guint i = pace->under_way->len; i > 0; i--) {
		const struct under_way *own =
		    &g_array_index(pace->under_way, struct under_way, i - 1);

		if (message && own->message != message)
			continue;
		process_lock_byte(pace->fd, F_OFD_SETLK, F_UNLCK, own->lock);
		g_array_remove_index(pace->under_way, i - 1);
	}
}

static void
write_reply(const struct relay_pace *pace, guint place, const char *reply)
{
	char text[REPLY_SIZE] = "";
	const char *end;

	g_strlcpy(text, reply, sizeof(text));
	if (!g_utf8_validate(text, -1, &end))
		text[end - text] = '\0';
	write_at(pace, text, sizeof(text), reply_offset(place));
}

void
relay_pace_defer(
    struct relay_pace *pace, const char *relay, const char *destination, const char *reply)
{
	struct found found;

	if (!lock(pace))
		return;
	gint64 now = clock_us();
	pace_find(pace, relay, destination, &found);
	struct state *state = &found.state;
	if (state->deferrals == 0) {
		struct head head = pace_read_head(pace);

		head.slowed++;
		write_at(pace, &head, sizeof(head), 0);
		state->booked = 0;
	}
	state->deferrals = MIN(state->deferrals + 1, G_N_ELEMENTS(ladder) - 1);
	state->accepted = 0;
	state->next = now + pace_interval_of(state->deferrals);
	write_reply(pace, found.place, reply);
	save(pace, &found, now);
	unlock(pace);
}

void
relay_pace_accept(struct relay_pace *pace, const char *relay, const char *destination)
{
	struct found found;

	if (!lock(pace))
		return;
	gint64 now = clock_us();
	bool is_there = pace_find(pace, relay, destination, &found);
	struct state *state = &found.state;
	if (is_there && state->deferrals > 0) {
		if (++state->accepted == ACCEPTANCES) {
			state->deferrals--;
			state->accepted = 0;
			state->next = MIN(state->next, now + pace_interval_of(state->deferrals));
		}
		save(pace, &found, now);
	}
	unlock(pace);
}
