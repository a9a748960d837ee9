/* SPDX-License-Identifier: MIT */
/* Token buckets in shared memory. A bucket is one number, the time at which it will be full. Taking
   a token moves that time ahead by the interval of a token, by compare-and-swap (the generic cell
   rate algorithm, ITU-T I.371). A full bucket is the same as an unused one, so its slot can go to
   another owner.

   An owner finds its slot by hashing and probing. A slot holds the owner's whole mark of 64 bits,
   so two owners never share a bucket. If other owners use all slots that an owner can have, its
   bucket counts as full: it is better to allow too much than to refuse an innocent owner. */
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
/* A slot can go to another owner this long after its bucket became full. By then, no process is
   still in the middle of a call for the old owner. */
#define REST_NS (10 * CLOCK_SECOND_NS)

G_STATIC_ASSERT(ATOMIC_LLONG_LOCK_FREE == 2);

struct slot {
	_Atomic guint64 owner; /* the owner's mark; 0: free */
	_Atomic gint64 full_at;
};

/* The beginning of the file. Times of another boot are meaningless, so the file names the boot. */
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
bucket_unmap(struct base_buckets *buckets)
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
	bucket_unmap(buckets);
	g_free(buckets->path);
	g_free(buckets);
}

/* Leaves boot empty on systems without a boot id; the table then outlives a reboot. */
static void
bucket_read_boot(struct head *head)
{
	int fd = open(BOOT_ID, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (read(fd, head->boot, BOOT_SIZE) != BOOT_SIZE)
		memset(head->boot, 0, BOOT_SIZE);
	close(fd);
}

/* Writes all bytes, or returns false. Writing reserves the disk space, which a mapping cannot do.
 */
static bool
bucket_write_all(int fd, const void *data, gsize size, off_t at)
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

/* Makes the locked file a table of this boot, unless it is one. The head is written last, so a
   process that is killed halfway leaves no valid table. The file is truncated only to the size of a
   table, because other processes may have it mapped. */
static bool
bucket_prepare(int fd)
{
	struct head head = {.format = FORMAT}, found = {.format = ""};
	g_autofree void *empty = NULL;
	struct stat st;

	bucket_read_boot(&head);
	if (fstat(fd, &st) != 0)
		return false;
	if (st.st_size == sizeof(struct table) &&
	    pread(fd, &found, sizeof(found), 0) == sizeof(found) &&
	    memcmp(&found, &head, sizeof(head)) == 0)
		return true;
	empty = g_malloc0(sizeof(struct table));
	return bucket_write_all(fd, empty, sizeof(struct table), 0) &&
	       ftruncate(fd, sizeof(struct table)) == 0 &&
	       bucket_write_all(fd, &head, sizeof(head), 0);
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
	bool prepared = bucket_prepare(buckets->fd);
	flock(buckets->fd, LOCK_UN);
	if (prepared)
		memory = mmap(
		    NULL, sizeof(struct table), PROT_READ | PROT_WRITE, MAP_SHARED, buckets->fd, 0);
	if (memory != MAP_FAILED)
		buckets->table = memory;
	return buckets->table != NULL;
}

/* Whether the mapped file is still the one at the path, and complete. */
static bool
bucket_is_whole(const struct base_buckets *buckets)
{
	struct stat st;

	return buckets->table && fstat(buckets->fd, &st) == 0 && st.st_nlink > 0 &&
	       st.st_size >= (off_t)sizeof(struct table);
}

static bool
bucket_ensure(struct base_buckets *buckets, GError **error)
{
	if (bucket_is_whole(buckets))
		return true;
	bucket_unmap(buckets);
	errno = 0;
	if (map(buckets))
		return true;
	base_fail(error, PH_ERROR_FAILED, "cannot use %s: %s", buckets->path, g_strerror(errno));
	bucket_unmap(buckets);
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
bucket_mark_of(const struct base_id *owner)
{
	guint64 halves[2];

	memcpy(halves, owner->bytes, sizeof(halves));
	return MAX(mix(mix(halves[0]) + halves[1]), 1);
}

/* The owner's slot, or else the first slot that the owner can take over; NULL when there is
 * neither. *held_r receives the mark in the slot. */
static struct slot *
probe(struct table *table, guint64 mark, gint64 now, guint64 *held_r)
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

/* The owner's slot, which is taken over if it had none; NULL when all its slots are in use. */
static struct slot *
bucket_find(struct table *table, guint64 mark, gint64 now)
{
	for (guint i = 0; i < TRIES; i++) {
		guint64 held = 0;
		struct slot *slot = probe(table, mark, now, &held);

		if (!slot || held == mark ||
		    atomic_compare_exchange_strong(&slot->owner, &held, mark))
			return slot;
	}
	return NULL;
}

static gint64
bucket_interval_of(const struct base_bucket *bucket)
{
	return CLOCK_SECOND_NS / bucket->rate;
}

/* The state of a bucket that will be full at full_at. */
static struct base_bucket_state
bucket_state_of(const struct base_bucket *bucket, gint64 full_at, gint64 now)
{
	gint64 interval = bucket_interval_of(bucket), capacity = interval * bucket->burst;
	gint64 full_ns = CLAMP(full_at - now, 0, capacity);

	return (struct base_bucket_state){.left = (capacity - full_ns) / interval,
	    .full_ns = full_ns,
	    .wait_ns = MAX(full_ns + interval - capacity, 0)};
}

/* The time at which the slot's bucket will be full. A time after latest was stored under a larger
   burst; it is reduced to latest, the time of an empty bucket. */
static gint64
bucket_settle(struct slot *slot, gint64 latest)
{
	gint64 full_at = atomic_load(&slot->full_at);

	while (full_at > latest)
		if (atomic_compare_exchange_strong(&slot->full_at, &full_at, latest))
			return latest;
	return full_at;
}

/* Takes a token, or returns false if the bucket is empty. */
static bool
take_from(struct slot *slot, const struct base_bucket *bucket, gint64 now,
    struct base_bucket_state *state_r)
{
	gint64 interval = bucket_interval_of(bucket), latest = now + interval * bucket->burst;
	gint64 before = bucket_settle(slot, latest), after;

	do {
		after = MAX(before, now) + interval;
		if (after > latest) {
			*state_r = bucket_state_of(bucket, before, now);
			return false;
		}
	} while (!atomic_compare_exchange_strong(&slot->full_at, &before, after));
	*state_r = bucket_state_of(bucket, after, now);
	return true;
}

static void
give_back(struct slot *slot, const struct base_bucket *bucket)
{
	atomic_fetch_sub(&slot->full_at, bucket_interval_of(bucket));
}

/* Takes a token from the owner's bucket, or returns false. *slot_r is its slot; NULL when the owner
   can have none, and the bucket counts as full. */
static bool
bucket_take_one(struct table *table, const struct base_bucket *bucket, gint64 now,
    struct slot **slot_r, struct base_bucket_state *state_r)
{
	guint64 mark = bucket_mark_of(&bucket->owner);

	for (guint i = 0; i < TRIES; i++) {
		*slot_r = bucket_find(table, mark, now);
		if (!*slot_r)
			break;
		bool taken = take_from(*slot_r, bucket, now, state_r);
		/* Another owner may have taken the slot over since find(). */
		if (atomic_load(&(*slot_r)->owner) == mark)
			return taken;
		if (taken)
			give_back(*slot_r, bucket);
	}
	*slot_r = NULL;
	*state_r = bucket_state_of(bucket, now + bucket_interval_of(bucket), now);
	return true;
}

/* The state of a bucket from which nothing is taken because another bucket is empty. */
static void
bucket_read_state(struct table *table, const struct base_bucket *bucket, gint64 now,
    struct base_bucket_state *state_r)
{
	struct slot *slot = bucket_find(table, bucket_mark_of(&bucket->owner), now);

	*state_r = bucket_state_of(bucket, slot ? atomic_load(&slot->full_at) : now, now);
	if (state_r->left == 0)
		state_r->wait_ns =
		    bucket_interval_of(bucket) * (1 - bucket->burst) + state_r->full_ns;
}

/* Tries the last bucket first. A caller puts shared buckets first and its own last, so an empty own
   bucket takes nothing from a shared one. */
bool
base_bucket_take(struct base_buckets *buckets, const struct base_bucket *bucket, guint count,
    gint64 now, struct base_bucket_state *states_r, GError **error)
{
	g_autofree struct slot **slots = g_new0(struct slot *, count);
	guint i = count;
	bool taken = true;

	if (!bucket_ensure(buckets, error))
		return false;
	while (taken && i > 0) {
		i--;
		taken = bucket_take_one(buckets->table, &bucket[i], now, &slots[i], &states_r[i]);
	}
	if (taken)
		return true;
	for (guint j = i + 1; j < count; j++) {
		if (slots[j])
			give_back(slots[j], &bucket[j]);
		states_r[j] = bucket_state_of(
		    &bucket[j], now + states_r[j].full_ns - bucket_interval_of(&bucket[j]), now);
	}
	while (i-- > 0)
		bucket_read_state(buckets->table, &bucket[i], now, &states_r[i]);
	return false;
}
