/* SPDX-License-Identifier: MIT */
/* The ledger is shared memory, which costs light requests nothing but a look at it. Turns and slots
   are locks on bytes of a file in the spool directory. */
#include "fcgi/api/heavy.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/limits/request.h"
#include "config/settings.h"
#include "process/lock.h"

#define FILE_NAME "requests.heavy"
#define ACCOUNTS 1024
#define TURN_SIZE 1024	  /* bytes of a workspace's turns, the last one for counts */
#define TURNS (1LL << 20) /* of workspaces, behind the slots */
#define LEVEL_MOST_NS (10 * LIMIT_HEAVY_BURST_NS)

/* An account is a time on base_clock_boot_ns: when the workspace has rested from all that it did. A
   workspace shares its account with those of the same last bytes, by chance. */
struct fcgi_heavy_ledger {
	gint64 rested[ACCOUNTS][HEAVY_PHASES];
};

struct fcgi_heavy {
	const struct config_settings *settings;
	struct fcgi_heavy_ledger *ledger;
	gint64 slots;
	int fd;		  /* -1: not open */
	off_t turn, slot; /* -1: not taken */
};

struct fcgi_heavy_ledger *
fcgi_heavy_ledger_new(void)
{
	void *memory = mmap(NULL, sizeof(struct fcgi_heavy_ledger), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	g_assert(memory != MAP_FAILED);
	return memory;
}

struct fcgi_heavy *
fcgi_heavy_new(
    const struct config_settings *settings, struct fcgi_heavy_ledger *ledger, guint slots)
{
	struct fcgi_heavy *heavy = g_new0(struct fcgi_heavy, 1);

	heavy->settings = settings;
	heavy->ledger = ledger;
	heavy->slots = slots;
	heavy->fd = -1;
	heavy->turn = heavy->slot = -1;
	return heavy;
}

void
fcgi_heavy_free(struct fcgi_heavy *heavy)
{
	if (heavy->fd >= 0)
		close(heavy->fd);
	g_free(heavy);
}

/* The last bytes of an id are random. */
static guint32
heavy_number_of(const struct base_id *workspace)
{
	guint32 number;

	memcpy(
	    &number, workspace->bytes + sizeof(workspace->bytes) - sizeof(number), sizeof(number));
	return number;
}

static gint64 *
heavy_account(
    const struct fcgi_heavy *heavy, const struct base_id *workspace, enum fcgi_heavy_phase phase)
{
	return &heavy->ledger->rested[heavy_number_of(workspace) % ACCOUNTS][phase];
}

void
fcgi_heavy_note(struct fcgi_heavy *heavy, const struct base_id *workspace,
    enum fcgi_heavy_phase phase, gint64 ns)
{
	gint64 *account = heavy_account(heavy, workspace, phase);

	if (ns <= LIMIT_HEAVY_NS)
		return;
	gint64 now = base_clock_boot_ns(), before = __atomic_load_n(account, __ATOMIC_RELAXED);
	gint64 after;
	do
		after = MIN(MAX(before, now) + ns * LIMIT_HEAVY_SHARE,
		    now + LEVEL_MOST_NS * LIMIT_HEAVY_SHARE);
	while (!__atomic_compare_exchange_n(
	    account, &before, after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

bool
fcgi_heavy_is(
    const struct fcgi_heavy *heavy, const struct base_id *workspace, enum fcgi_heavy_phase phase)
{
	gint64 rested = __atomic_load_n(heavy_account(heavy, workspace, phase), __ATOMIC_RELAXED);

	return rested != 0 &&
	       rested - base_clock_boot_ns() > LIMIT_HEAVY_BURST_NS * LIMIT_HEAVY_SHARE;
}

static int
heavy_open_file(struct fcgi_heavy *heavy)
{
	if (heavy->fd < 0) {
		g_autofree char *path = g_build_filename(
		    config_settings_text(heavy->settings, SETTING_SPOOL_DIR), FILE_NAME, NULL);
		heavy->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	}
	return heavy->fd;
}

static off_t
heavy_take(const struct fcgi_heavy *heavy, off_t first, gint64 count)
{
	for (gint64 i = 0; i < count; i++)
		if (process_lock_byte(heavy->fd, F_OFD_SETLK, F_WRLCK, first + i))
			return first + i;
	return -1;
}

static void
heavy_give_back(const struct fcgi_heavy *heavy, off_t *byte)
{
	if (*byte >= 0)
		process_lock_byte(heavy->fd, F_OFD_SETLK, F_UNLCK, *byte);
	*byte = -1;
}

bool
fcgi_heavy_enter(
    struct fcgi_heavy *heavy, const struct base_id *workspace, bool counts, gint64 waited_ms)
{
	off_t place = TURNS + (off_t)heavy_number_of(workspace) * TURN_SIZE;
	off_t first = counts ? place + TURN_SIZE - 1 : place;

	if (heavy_open_file(heavy) < 0)
		return true;
	heavy->turn =
	    heavy_take(heavy, first, counts ? 1 : CLAMP(heavy->slots / 2, 1, TURN_SIZE - 1));
	if (heavy->turn < 0)
		return false;
	heavy->slot = heavy_take(heavy, 0, heavy->slots);
	if (heavy->slot >= 0 || (waited_ms > LIMIT_HEAVY_SLOT_MS && heavy->turn == first))
		return true;
	heavy_give_back(heavy, &heavy->turn);
	return false;
}

void
fcgi_heavy_leave(struct fcgi_heavy *heavy)
{
	heavy_give_back(heavy, &heavy->slot);
	heavy_give_back(heavy, &heavy->turn);
}
