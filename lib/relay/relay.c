/* SPDX-License-Identifier: MIT */
/* Reads the relays from the settings, and shares their state among the processes of a machine. */
#include "relay/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "process/lock.h"

GPtrArray *
relay_list(const struct config_settings *settings)
{
	GPtrArray *relays = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < config_settings_relay_count(settings); i++) {
		const struct config_relay *from = config_settings_relay(settings, i);
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

/* Whether a relay belongs to a route. */
static bool
relay_is_named(const struct config_relay *relay, char *const *names)
{
	return names ? g_strv_contains((const char *const *)names, relay->name) : relay->is_default;
}

bool
relay_is_on(const struct config_relay *relay, const char *route)
{
	g_auto(GStrv) names = route ? g_strsplit(route, " ", -1) : NULL;

	return relay_is_named(relay, names);
}

struct relay_returns
relay_returns(const struct config_settings *settings, const char *route)
{
	g_auto(GStrv) names = route ? g_strsplit(route, " ", -1) : NULL;
	struct relay_returns returns = {false, false};
	guint here = 0, elsewhere = 0;

	for (guint i = 0; i < config_settings_relay_count(settings); i++) {
		const struct config_relay *relay = config_settings_relay(settings, i);

		if (!relay_is_named(relay, names))
			continue;
		returns.has_own = returns.has_own || *relay->return_path;
		if (*relay->return_path || *relay->provider)
			elsewhere++;
		else
			here++;
	}
	returns.is_elsewhere = elsewhere > 0 && here == 0;
	return returns;
}

bool
relay_takes_steering(const struct config_settings *settings, const char *route)
{
	g_auto(GStrv) names = route ? g_strsplit(route, " ", -1) : NULL;
	bool any = false;

	for (guint i = 0; i < config_settings_relay_count(settings); i++) {
		const struct config_relay *relay = config_settings_relay(settings, i);

		if (!relay_is_named(relay, names))
			continue;
		if (!relay->provider_headers)
			return false;
		any = true;
	}
	return any;
}

bool
relay_any_takes_steering(const struct config_settings *settings)
{
	for (guint i = 0; i < config_settings_relay_count(settings); i++)
		if (config_settings_relay(settings, i)->provider_headers)
			return true;
	return false;
}

int
relay_find(const struct config_settings *settings, const char *name)
{
	for (guint i = 0; i < config_settings_relay_count(settings); i++)
		if (!strcmp(config_settings_relay(settings, i)->name, name))
			return (int)i;
	return RELAY_NONE;
}

#define SESSIONS_MAX 1000
#define STATE_BYTE 0 /* locked while the state is read and changed */
#define SESSION_BYTE                                                                               \
	64 /* the first of the sessions' bytes, each locked while its session lasts                \
	    */
#define REFUSAL_BYTE 2048

/* The state of a relay. Times count from the boot, since nobody sets that clock; a state from an
   earlier boot is ignored. So is a time too far ahead, which a process with --now has written, and
   a state that was written under other settings of the relay. */
struct state {
	char boot[40];	     /* the kernel's id of the boot, a UUID; "": none */
	gint64 rests_until;  /* on rest_clock */
	gint64 next_message; /* on base_clock_boot, in microseconds */
	guint64 identity;    /* of the relay, as in config/settings_relay.h */
};

G_STATIC_ASSERT(sizeof(struct state) <= SESSION_BYTE);

G_STATIC_ASSERT(SESSION_BYTE + SESSIONS_MAX <= REFUSAL_BYTE);

struct relay_slot {
	int fd;
	guint index;
	const struct config_relay *relay;
	GPtrArray *relays;
};

/* The time since the boot, moved by --now. */
static gint64
rest_clock(void)
{
	return base_clock_boot() + base_clock_shift();
}

static void
relay_read_boot(char boot_r[sizeof((struct state){0}.boot)])
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

	return left > 0 && left <= RELAY_REST_MS ? left : 0;
}

static struct state
relay_read_state(int fd, const struct config_relay *relay)
{
	struct state state, fresh = {.identity = config_relay_identity(relay)};

	relay_read_boot(fresh.boot);
	if (pread(fd, &state, sizeof(state), 0) != (ssize_t)sizeof(state) ||
	    memcmp(state.boot, fresh.boot, sizeof(state.boot)) != 0 ||
	    state.identity != fresh.identity)
		return fresh;
	if (state.next_message > (base_clock_boot() + RELAY_REST_MS) * 1000)
		state.next_message = 0;
	return state;
}

static int
open_state(const struct config_settings *settings, guint index, GError **error)
{
	g_autofree char *file =
	    g_strconcat("relay.", config_settings_relay(settings, index)->name, NULL);
	g_autofree char *path =
	    g_build_filename(config_settings_text(settings, SETTING_SPOOL_DIR), file, NULL);
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
		if (process_lock_byte(fd, F_OFD_SETLK, F_WRLCK, SESSION_BYTE + (off_t)i))
			return true;
	return limit == 0;
}

/* Whether a process has the session with this number. */
static bool
is_locked(int fd, guint session)
{
	struct flock range = {.l_type = F_WRLCK,
	    .l_whence = SEEK_SET,
	    .l_start = SESSION_BYTE + (off_t)session,
	    .l_len = 1};

	return fcntl(fd, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

static bool
has_session(int fd, guint limit)
{
	for (guint i = 0; i < limit; i++)
		if (!is_locked(fd, i))
			return true;
	return limit == 0;
}

struct relay_slot *
relay_slot_take(const struct config_settings *settings, guint index, GError **error)
{
	const struct config_relay *relay = config_settings_relay(settings, index);
	int fd = open_state(settings, index, error);

	if (fd < 0)
		return NULL;
	struct state state = relay_read_state(fd, relay);
	if (rest_left(&state) > 0 || !take_session(fd, relay->connections)) {
		close(fd);
		return NULL;
	}
	struct relay_slot *slot = g_new0(struct relay_slot, 1);
	*slot = (struct relay_slot){fd, index, relay, relay_list(settings)};
	return slot;
}

bool
relay_is_any_free(const struct config_settings *settings, bool even_resting, GError **error)
{
	for (guint i = 0; i < config_settings_relay_count(settings); i++) {
		int fd = open_state(settings, i, error);

		if (fd < 0)
			return false;
		const struct config_relay *relay = config_settings_relay(settings, i);
		struct state state = relay_read_state(fd, relay);
		bool rests = rest_left(&state) > 0;
		bool is_free = rests ? even_resting : has_session(fd, relay->connections);
		close(fd);
		if (is_free)
			return true;
	}
	return false;
}

void
relay_slot_free(struct relay_slot *slot)
{
	close(slot->fd);
	g_ptr_array_unref(slot->relays);
	g_free(slot);
}

const struct smtp_relay *
relay_slot_relay(const struct relay_slot *slot)
{
	return slot->relays->pdata[slot->index];
}

void
relay_slot_use_source(struct relay_slot *slot, const struct config_settings *settings, int source)
{
	struct smtp_relay *relay = slot->relays->pdata[slot->index];
	const struct config_source *own;

	if (source < 0)
		return;
	relay->source = slot->relay->sources[source];
	own = config_settings_source_of(settings, relay->source);
	relay->helo = own && *own->helo ? own->helo : slot->relay->helo;
}

static void
relay_write_state(int fd, const struct state *state)
{
	/* If this fails, the relay is only tried again too early. */
	if (pwrite(fd, state, sizeof(*state), 0) != (ssize_t)sizeof(*state))
		return;
}

void
relay_slot_rest(struct relay_slot *slot, const struct relay_refusal *refusal)
{
	if (!process_lock_byte(slot->fd, F_OFD_SETLKW, F_WRLCK, STATE_BYTE))
		return;
	struct state state = relay_read_state(slot->fd, slot->relay);
	state.rests_until = rest_clock() + RELAY_REST_MS;
	relay_write_state(slot->fd, &state);
	/* If this fails, the relay only rests without a reason. */
	if (pwrite(slot->fd, refusal, sizeof(*refusal), REFUSAL_BYTE) < 0)
		g_debug("relay: no reason written");
	process_lock_byte(slot->fd, F_OFD_SETLK, F_UNLCK, STATE_BYTE);
}

gint64
relay_slot_wait(struct relay_slot *slot)
{
	gint64 now = base_clock_boot() * 1000;

	if (slot->relay->rate == 0 ||
	    !process_lock_byte(slot->fd, F_OFD_SETLKW, F_WRLCK, STATE_BYTE))
		return 0;
	struct state state = relay_read_state(slot->fd, slot->relay);
	gint64 turn = MAX(state.next_message, now);
	state.next_message = turn + G_USEC_PER_SEC / slot->relay->rate;
	relay_write_state(slot->fd, &state);
	process_lock_byte(slot->fd, F_OFD_SETLK, F_UNLCK, STATE_BYTE);
	return (turn - now) / 1000;
}

static guint
count_sessions(int fd)
{
	guint count = 0;

	for (guint i = 0; i < SESSIONS_MAX; i++)
		count += is_locked(fd, i);
	return count;
}

/* The reason of a relay that rests. */
static struct relay_refusal
read_refusal(int fd)
{
	struct relay_refusal refusal;

	if (pread(fd, &refusal, sizeof(refusal), REFUSAL_BYTE) != (ssize_t)sizeof(refusal))
		return (struct relay_refusal){.text = ""};
	refusal.text[sizeof(refusal.text) - 1] = '\0';
	refusal.enhanced[sizeof(refusal.enhanced) - 1] = '\0';
	return refusal;
}

/* Reads the rest of the relay at index. */
static void
read_rest(int fd, struct relay_report *report)
{
	struct state state = relay_read_state(fd, report->relay);
	gint64 left = rest_left(&state);

	report->rests_until = left > 0 ? base_clock_now() + left : 0;
	if (left > 0)
		report->refusal = read_refusal(fd);
}

bool
relay_slot_report(
    const struct config_settings *settings, guint index, struct relay_report *report_r)
{
	if (index >= config_settings_relay_count(settings))
		return false;
	*report_r = (struct relay_report){.relay = config_settings_relay(settings, index)};
	int fd = open_state(settings, index, NULL);
	if (fd < 0)
		return true;
	read_rest(fd, report_r);
	report_r->sessions = count_sessions(fd);
	close(fd);
	return true;
}

/* The state of a relay, as a delivery has met it. */
struct known {
	bool rests, busy;
	GHashTable *lacking; /* domain to struct relay_refusal: its TLS is not had; NULL: none */
	struct relay_refusal refusal;
};

struct relay_choice {
	const struct config_settings *settings;
	guint count;
	struct known *relays; /* in the order of the settings */
};

/* Books the turn of a message, which the processes of a machine take one after the other. */
static guint64
book_turn(const struct config_settings *settings)
{
	g_autofree char *path =
	    g_build_filename(config_settings_text(settings, SETTING_SPOOL_DIR), "relay-turn", NULL);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	guint64 turn = 0, next;

	if (fd < 0)
		return g_random_int();
	process_lock_byte(fd, F_OFD_SETLKW, F_WRLCK, 0);
	if (pread(fd, &turn, sizeof(turn), 0) != (ssize_t)sizeof(turn))
		turn = 0;
	next = turn + 1;
	if (pwrite(fd, &next, sizeof(next), 0) != (ssize_t)sizeof(next))
		turn = g_random_int();
	close(fd);
	return turn;
}

struct relay_choice *
relay_choice_new(const struct config_settings *settings)
{
	struct relay_choice *choice = g_new0(struct relay_choice, 1);

	choice->settings = settings;
	choice->count = config_settings_relay_count(settings);
	choice->relays = g_new0(struct known, choice->count);
	for (guint i = 0; i < choice->count; i++) {
		struct relay_report report = {.relay = config_settings_relay(settings, i)};
		int fd = open_state(settings, i, NULL);

		if (fd < 0)
			continue;
		read_rest(fd, &report);
		close(fd);
		if (report.rests_until > 0)
			relay_choice_rest(choice, i, &report.refusal);
	}
	return choice;
}

void
relay_choice_free(struct relay_choice *choice)
{
	for (guint i = 0; i < choice->count; i++)
		g_clear_pointer(&choice->relays[i].lacking, g_hash_table_unref);
	g_free(choice->relays);
	g_free(choice);
}

void
relay_choice_rest(struct relay_choice *choice, guint index, const struct relay_refusal *refusal)
{
	choice->relays[index].rests = true;
	choice->relays[index].refusal = *refusal;
}

void
relay_choice_busy(struct relay_choice *choice, guint index)
{
	choice->relays[index].busy = true;
}

void
relay_choice_lack(struct relay_choice *choice, guint index, const char *domain,
    const struct relay_refusal *refusal)
{
	struct known *known = &choice->relays[index];

	if (!known->lacking)
		known->lacking = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_hash_table_replace(
	    known->lacking, g_strdup(domain), g_memdup2(refusal, sizeof(*refusal)));
}

/* Why a relay has not the TLS that a domain (NULL: none) enforces; NULL: nobody knows that. */
static const struct relay_refusal *
relay_choice_lacking(const struct relay_choice *choice, guint index, const char *enforced)
{
	GHashTable *lacking = choice->relays[index].lacking;

	return lacking && enforced ? g_hash_table_lookup(lacking, enforced) : NULL;
}

bool
relay_choice_is_free(const struct relay_choice *choice, int index, const char *enforced)
{
	return !choice->relays[index].rests && !choice->relays[index].busy &&
	       !relay_choice_lacking(choice, (guint)index, enforced);
}

/* A number from 0 to total - 1 for a turn. Multiples of the golden ratio spread evenly, whichever
   turns a route gets. */
static guint
relay_place_of(guint64 turn, guint total)
{
	const guint64 golden = G_GUINT64_CONSTANT(0x9e3779b97f4a7c15); /* of 2^64 */

	return (guint)(((turn * golden) >> 32) * total >> 32);
}

/* The relays that a message may take: those of a route, for the domain that enforces TLS. */
struct relay_way {
	char *const *names;   /* NULL: those that are default */
	const char *enforced; /* NULL: none does */
};

static bool
is_free(const struct relay_choice *choice, guint index, const struct relay_way *way, guint order)
{
	const struct config_relay *relay = config_settings_relay(choice->settings, index);

	return relay->order == order && relay_is_named(relay, way->names) &&
	       relay_choice_is_free(choice, (int)index, way->enforced);
}

/* Whether several relays of one order are free. */
static bool
is_shared(const struct relay_choice *choice, const struct relay_way *way, guint order)
{
	guint count = 0;

	for (guint i = 0; i < choice->count; i++)
		count += is_free(choice, i, way, order);
	return count > 1;
}

/* Chooses by weight among the relays of one order that are free. total: of their weights. */
static int
choose_by_weight(struct relay_choice *choice, const struct relay_way *way, guint order, guint total)
{
	guint place = 0;

	if (is_shared(choice, way, order))
		place = relay_place_of(book_turn(choice->settings), total);
	for (guint i = 0; i < choice->count; i++) {
		guint weight = config_settings_relay(choice->settings, i)->weight;

		if (!is_free(choice, i, way, order))
			continue;
		if (place < weight)
			return (int)i;
		place -= weight;
	}
	return RELAY_NONE;
}

/* The relays of a route in one order. */
struct rank {
	guint order;
	guint weight; /* of the free ones together */
	bool is_busy; /* one neither rests nor is free */
	int resting;  /* the last one that rests; RELAY_NONE: none */
	int lacking;  /* the last one without the TLS that is enforced; RELAY_NONE: none */
};

/* Looks at the relays of the lowest order above after. False when there is none. */
static bool
next_rank(const struct relay_choice *choice, const struct relay_way *way, guint after,
    struct rank *rank_r)
{
	*rank_r = (struct rank){.order = G_MAXUINT, .resting = RELAY_NONE, .lacking = RELAY_NONE};
	for (guint i = 0; i < choice->count; i++) {
		const struct config_relay *relay = config_settings_relay(choice->settings, i);

		if (!relay_is_named(relay, way->names) || relay->order <= after ||
		    relay->order > rank_r->order)
			continue;
		if (relay->order < rank_r->order)
			*rank_r = (struct rank){
			    .order = relay->order, .resting = RELAY_NONE, .lacking = RELAY_NONE};
		if (choice->relays[i].rests)
			rank_r->resting = (int)i;
		else if (relay_choice_lacking(choice, i, way->enforced))
			rank_r->lacking = (int)i;
		else if (choice->relays[i].busy)
			rank_r->is_busy = true;
		else
			rank_r->weight += relay->weight;
	}
	return rank_r->order != G_MAXUINT;
}

/* Says why there is none. */
static void
relay_explain(const struct relay_choice *choice, const struct relay_way *way, const char *domain,
    int resting, struct relay_refusal *refusal_r)
{
	char *const *names = way->names;
	g_autofree char *list = names ? g_strjoinv(", ", (char **)names) : NULL;
	g_autofree char *text = NULL;

	if (resting != RELAY_NONE) {
		*refusal_r = choice->relays[resting].rests
				 ? choice->relays[resting].refusal
				 : *relay_choice_lacking(choice, (guint)resting, way->enforced);
		return;
	}
	*refusal_r = (struct relay_refusal){.text = ""};
	if (list)
		text =
		    g_strdup_printf("no relay: the route of %s names only %s, which the settings "
				    "do not have",
			domain, list);
	else
		text = g_strdup_printf(
		    "no relay: %s has no route, and no relay of the settings is default = yes",
		    domain);
	g_strlcpy(refusal_r->text, text, sizeof(refusal_r->text));
}

int
relay_choose(struct relay_choice *choice, const char *route, const char *domain, bool enforced,
    struct relay_refusal *refusal_r, int *resting_r)
{
	g_auto(GStrv) names = route ? g_strsplit(route, " ", -1) : NULL;
	bool passes_busy = !config_settings_has_relays(choice->settings), is_busy = false;
	const struct relay_way way = {names, enforced ? domain : NULL};
	struct rank rank = {.order = 0};
	int lacking = RELAY_NONE;

	*resting_r = RELAY_NONE;
	while (next_rank(choice, &way, rank.order, &rank)) {
		if (rank.weight > 0)
			return choose_by_weight(choice, &way, rank.order, rank.weight);
		is_busy = is_busy || rank.is_busy;
		if (is_busy && !passes_busy)
			return RELAY_BUSY;
		if (rank.resting != RELAY_NONE)
			*resting_r = rank.resting;
		if (rank.lacking != RELAY_NONE)
			lacking = rank.lacking;
	}
	if (is_busy)
		return RELAY_BUSY;
	if (*resting_r == RELAY_NONE)
		*resting_r = lacking;
	relay_explain(choice, &way, domain, *resting_r, refusal_r);
	return RELAY_NONE;
}
