/* SPDX-License-Identifier: MIT */
/* Token buckets in shared memory. A bucket is one number, the time at which it will be full: a
   token taken moves it ahead by the time that a token needs, by compare-and-swap (this is the
   generic cell rate algorithm, ITU-T I.371). A bucket that is full is as good as one that has never
   been used, so its slot may go to another owner.

   Owners find their slots by hash and probing. A slot has its owner's whole mark of 64 bits, so
   that nobody shares a bucket. Where all slots that an owner may have are in use by others, its
   bucket counts as full: rather is too much let through than an innocent owner refused. */
#include "base/bucket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

#define FORMAT "posthouse rates 1"
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define BOOT_SIZE 36
#define SLOTS 16384
#define PROBES 32
#define TRIES 8
/* A slot goes to another owner so long after its bucket was full: whoever still works with the old
   owner's mark has seen the end of it by then. */
#define REST_NS (10 * CLOCK_SECOND_NS)

G_STATIC_ASSERT(ATOMIC_LLONG_LOCK_FREE == 2);

struct slot {
	_Atomic guint64 owner; /* its mark; 0: none yet */
	_Atomic gint64 full_at;
};

/* What the file begins with. Times of another boot mean nothing. */
struct head {
	char format[32];
	char boot[BOOT_SIZE + 4];
};

struct table {
	struct head head;
	struct slot slots[SLOTS];
};

struct base_buckets {
	char *path;
	int fd;		     /* -1: not open */
	struct table *table; /* NULL: not mapped */
};

struct base_buckets *
base_bucket_open(const char *path)
{
	struct base_buckets *buckets = g_new0(struct base_buckets, 1);

	buckets->path = g_strdup(path);
	buckets->fd = -1;
	return buckets;
}

static void
let_go(struct base_buckets *buckets)
{
	if (buckets->table)
		munmap(buckets->table, sizeof(*buckets->table));
	if (buckets->fd >= 0)
		close(buckets->fd);
	buckets->table = NULL;
	buckets->fd = -1;
}

void
base_bucket_close(struct base_buckets *buckets)
{
	let_go(buckets);
	g_free(buckets->path);
	g_free(buckets);
}

/* Where the system does not tell its boots apart, a table serves them all. */
static void
read_boot(struct head *head)
{
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (read(fd, head->boot, BOOT_SIZE) != BOOT_SIZE)
		memset(head->boot, 0, BOOT_SIZE);
	close(fd);
}

/* Whether the whole was written: with its disk space, which a mapping could not ask for. */
static bool
write_all(int fd, const void *data, gsize size, off_t at)
{
	const char *bytes = data;

	while (size > 0) {
		ssize_t written = pwrite(fd, bytes, size, at);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		at += written;
		size -= (gsize)written;
	}
	return true;
}

/* With the file locked: makes it a table of this boot, where it is none. The head comes last, so
   that one who was killed halfway has made none. The file is never made shorter while it is too
   short for a table: others may have it mapped. */
static bool
prepare(int fd)
{
	struct head head = {.format = FORMAT}, found = {.format = ""};
	g_autofree void *empty = NULL;
	struct stat st;

	read_boot(&head);
	if (fstat(fd, &st) != 0)
		return false;
	if (st.st_size == sizeof(struct table) &&
	    pread(fd, &found, sizeof(found), 0) == sizeof(found) &&
	    memcmp(&found, &head, sizeof(head)) == 0)
		return true;
	empty = g_malloc0(sizeof(struct table));
	return write_all(fd, empty, sizeof(struct table), 0) &&
	       ftruncate(fd, sizeof(struct table)) == 0 && write_all(fd, &head, sizeof(head), 0);
}

static bool
map(struct base_buckets *buckets)
{
	void *memory = MAP_FAILED;

	buckets->fd = open(buckets->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (buckets->fd < 0)
		return false;
	while (flock(buckets->fd, LOCK_EX) != 0)
		if (errno != EINTR)
			return false;
	bool prepared = prepare(buckets->fd);
	flock(buckets->fd, LOCK_UN);
	if (prepared)
		memory = mmap(
		    NULL, sizeof(struct table), PROT_READ | PROT_WRITE, MAP_SHARED, buckets->fd, 0);
	if (memory != MAP_FAILED)
		buckets->table = memory;
	return buckets->table != NULL;
}

/* Whether what is mapped is still the file that others find. */
static bool
is_whole(const struct base_buckets *buckets)
{
	struct stat st;

	return buckets->table && fstat(buckets->fd, &st) == 0 && st.st_nlink > 0 &&
	       st.st_size >= (off_t)sizeof(struct table);
}

static bool
ensure(struct base_buckets *buckets, GError **error)
{
	if (is_whole(buckets))
		return true;
	let_go(buckets);
	errno = 0;
	if (map(buckets))
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "cannot use %s: %s", buckets->path,
	    g_strerror(errno));
	let_go(buckets);
	return false;
}

static guint64
mix(guint64 x)
{
	x = (x ^ x >> 30) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static guint64
mark_of(const struct base_id *owner)
{
	guint64 halves[2];

	memcpy(halves, owner->bytes, sizeof(halves));
	return MAX(mix(mix(halves[0]) + halves[1]), 1);
}

/* The owner's slot, or a free one of those that it may have; NULL: there is none, or not yet.
 * *held_r is the mark that it has. */
static struct slot *
look(struct table *table, guint64 mark, gint64 now, guint64 *held_r)
{
	struct slot *spare = NULL;

	for (guint i = 0; i < PROBES; i++) {
		struct slot *slot = &table->slots[(mark + i) % SLOTS];
		guint64 held = atomic_load(&slot->owner);

		if (held == mark) {
			*held_r = held;
			return slot;
		}
		if (!spare && (held == 0 || atomic_load(&slot->full_at) < now - REST_NS)) {
			spare = slot;
			*held_r = held;
		}
		if (held == 0)
			break;
	}
	return spare;
}

static struct slot *
find(struct table *table, guint64 mark, gint64 now)
{
	for (guint i = 0; i < TRIES; i++) {
		guint64 held = 0;
		struct slot *slot = look(table, mark, now, &held);

		if (!slot || held == mark ||
		    atomic_compare_exchange_strong(&slot->owner, &held, mark))
			return slot;
	}
	return NULL;
}

static gint64
interval_of(const struct base_bucket *bucket)
{
	return CLOCK_SECOND_NS / bucket->rate;
}

/* A bucket that will be full at that time. */
static struct base_bucket_state
state_of(const struct base_bucket *bucket, gint64 full_at, gint64 now)
{
	gint64 interval = interval_of(bucket), capacity = interval * bucket->burst;
	gint64 full_ns = CLAMP(full_at - now, 0, capacity);

	return (struct base_bucket_state){.left = (capacity - full_ns) / interval,
	    .full_ns = full_ns,
	    .wait_ns = MAX(full_ns + interval - capacity, 0)};
}

/* When the slot's bucket will be full. A time past that of an empty bucket comes from a larger
   burst, and becomes that. */
static gint64
settle(struct slot *slot, gint64 latest)
{
	gint64 full_at = atomic_load(&slot->full_at);

	while (full_at > latest)
		if (atomic_compare_exchange_strong(&slot->full_at, &full_at, latest))
			return latest;
	return full_at;
}

/* Takes a token where there is one. */
static bool
take_from(struct slot *slot, const struct base_bucket *bucket, gint64 now,
    struct base_bucket_state *state_r)
{
	gint64 interval = interval_of(bucket), latest = now + interval * bucket->burst;
	gint64 before = settle(slot, latest), after;

	do {
		after = MAX(before, now) + interval;
		if (after > latest) {
			*state_r = state_of(bucket, before, now);
			return false;
		}
	} while (!atomic_compare_exchange_strong(&slot->full_at, &before, after));
	*state_r = state_of(bucket, after, now);
	return true;
}

static void
give_back(struct slot *slot, const struct base_bucket *bucket)
{
	atomic_fetch_sub(&slot->full_at, interval_of(bucket));
}

/* *slot_r: from where; NULL where the owner can have no slot, and takes from a full bucket. */
static bool
take_one(struct table *table, const struct base_bucket *bucket, gint64 now, struct slot **slot_r,
    struct base_bucket_state *state_r)
{
	guint64 mark = mark_of(&bucket->owner);

	for (guint i = 0; i < TRIES; i++) {
		*slot_r = find(table, mark, now);
		if (!*slot_r)
			break;
		bool taken = take_from(*slot_r, bucket, now, state_r);
		/* The slot may have gone to another owner since it was found. */
		if (atomic_load(&(*slot_r)->owner) == mark)
			return taken;
		if (taken)
			give_back(*slot_r, bucket);
	}
	*slot_r = NULL;
	*state_r = state_of(bucket, now + interval_of(bucket), now);
	return true;
}

/* A bucket from which nothing is taken, since another has refused. */
static void
look_at(struct table *table, const struct base_bucket *bucket, gint64 now,
    struct base_bucket_state *state_r)
{
	struct slot *slot = find(table, mark_of(&bucket->owner), now);

	*state_r = state_of(bucket, slot ? atomic_load(&slot->full_at) : now, now);
	if (state_r->left == 0)
		state_r->wait_ns = interval_of(bucket) * (1 - bucket->burst) + state_r->full_ns;
}

/* The last one is asked first: who has used up a bucket of his own does not touch that which he
   shares, and which stands in front. */
bool
base_bucket_take(struct base_buckets *buckets, const struct base_bucket *bucket, guint count,
    gint64 now, struct base_bucket_state *states_r, GError **error)
{
	g_autofree struct slot **slots = g_new0(struct slot *, count);
	guint i = count;
	bool taken = true;

	if (!ensure(buckets, error))
		return false;
	while (taken && i > 0) {
		i--;
		taken = take_one(buckets->table, &bucket[i], now, &slots[i], &states_r[i]);
	}
	if (taken)
		return true;
	for (guint j = i + 1; j < count; j++) {
		if (slots[j])
			give_back(slots[j], &bucket[j]);
		states_r[j] =
		    state_of(&bucket[j], now + states_r[j].full_ns - interval_of(&bucket[j]), now);
	}
	while (i-- > 0)
		look_at(buckets->table, &bucket[i], now, &states_r[i]);
	return false;
}
