/* SPDX-License-Identifier: MIT */
/* Token buckets that all processes of a machine share, in a small file that each maps. Nobody takes
 * a lock, so a process that is killed in between leaves none behind.
 */
#ifndef BASE_BUCKET_H
#define BASE_BUCKET_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct base_buckets;

/* The buckets in the file at path, which is made where there is none, at their first use. */
struct base_buckets *base_bucket_open(const char *path);
void base_bucket_close(struct base_buckets *buckets);
DEFINE_AUTO(base_buckets, base_bucket_close)

/* A bucket that holds burst tokens, at least 1, and gets rate of them in a second, at least 1. */
struct base_bucket {
	struct base_id owner;
	gint64 rate, burst;
};

/* A bucket as it is after a call. */
struct base_bucket_state {
	gint64 left;	/* whole tokens */
	gint64 full_ns; /* until it is full */
	gint64 wait_ns; /* until it has a token; 0: it has one */
};

/* Takes a token from each of the buckets, or none where one of them has none: then false. now is on
   base_clock_boot_ns. states_r has a row for each bucket, which is true at that moment. FAILED when
   the file cannot be used; nothing has been counted then. */
bool base_bucket_take(struct base_buckets *buckets, const struct base_bucket *bucket, guint count,
    gint64 now, struct base_bucket_state *states_r, GError **error);

#endif
