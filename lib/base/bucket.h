/* SPDX-License-Identifier: MIT */
/* Token buckets in a small file that all processes of a machine map into memory. They are changed
 * by atomic operations and never locked, so a process that is killed leaves no lock behind. */
#ifndef BASE_BUCKET_H
#define BASE_BUCKET_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct base_buckets;

/* The buckets in the file at path. The file is opened, and created if it is missing, by the first
   base_bucket_take. The caller closes the result. */
struct base_buckets *base_bucket_open(const char *path);
void base_bucket_close(struct base_buckets *buckets);
DEFINE_AUTO(base_buckets, base_bucket_close)

/* A bucket that holds up to burst tokens and gains rate tokens a second; both are at least 1. */
struct base_bucket {
	struct base_id owner;
	gint64 rate, burst;
};

/* A bucket's state after a call. */
struct base_bucket_state {
	gint64 left;	/* whole tokens */
	gint64 full_ns; /* time until the bucket is full */
	gint64 wait_ns; /* time until the bucket has a token; 0: it has one now */
};

/* Takes a token from each of the count buckets. If one of them is empty, takes none and returns
   false without an error. now is a time of base_clock_boot_ns. states_r has room for count states
   and receives the state of each bucket in both cases. FAILED when the file cannot be used; no
   token has been taken then. */
bool base_bucket_take(struct base_buckets *buckets, const struct base_bucket *bucket, guint count,
    gint64 now, struct base_bucket_state *states_r, GError **error);

#endif
