/* SPDX-License-Identifier: MIT */
/* Makes and reads ids: UUID version 7 (RFC 9562 section 5.7) with the fraction of the millisecond
   in the 12 bits of rand_a (section 6.2, method 3). Two requests of one millisecond are often
   served by two processes, and what they make is listed in the order of the ids. */
#include "base/id.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/secret.h"

#define DRAWN 32 /* ids that get their random bytes from one call of OpenSSL */
#define LATEST (((gint64)1 << 48) - 1) /* the last time that an id has room for, epoch ms */
#define PARTS 4096		       /* of a millisecond */

/* A time that ids have no room for counts as the first, or the last, that they have. */
static void
put_time(struct base_id *id, gint64 ms)
{
	ms = CLAMP(ms, 0, LATEST);
	for (int i = 0; i < 6; i++)
		id->bytes[i] = (guint8)(ms >> (40 - 8 * i));
}

static GMutex mutex; /* of all that is static here */
static struct base_id drawn[DRAWN];
static guint drawn_left;

/* No other thread makes an id while the process forks, so that the child can make its own. */
static void
id_before_fork(void)
{
	g_mutex_lock(&mutex);
}

static void
id_after_fork(void)
{
	g_mutex_unlock(&mutex);
}

/* A child process must not use the random bytes that its parent uses. */
static void
id_begin_child(void)
{
	drawn_left = 0;
	g_mutex_unlock(&mutex);
}

/* An id of random bytes. The caller holds the mutex. */
static struct base_id
id_draw(void)
{
	static bool is_watching;

	if (!is_watching)
		is_watching = pthread_atfork(id_before_fork, id_after_fork, id_begin_child) == 0;
	if (drawn_left == 0) {
		base_secret_random(drawn, sizeof(drawn));
		drawn_left = is_watching ? DRAWN : 1;
	}
	return drawn[--drawn_left];
}

struct base_id
base_id_new(void)
{
	/* In parts of a millisecond. Each id of this process must be greater than the one before:
	   when the clock has not moved on, or went back, the count goes on from the last id. */
	static gint64 last;

	g_mutex_lock(&mutex);
	struct base_id id = id_draw();
	gint64 now, rest;
	base_clock_read(&now, &rest);
	last = MAX(last + 1, now * PARTS + rest * PARTS / 1000000);
	put_time(&id, last / PARTS);
	id.bytes[6] = (guint8)(0x70 | (last % PARTS) >> 8);
	id.bytes[7] = (guint8)last;
	g_mutex_unlock(&mutex);
	id.bytes[8] = (guint8)(0x80 | (id.bytes[8] & 0x3f));
	return id;
}

struct base_id
base_id_at(gint64 epoch_ms)
{
	g_mutex_lock(&mutex);
	struct base_id id = id_draw();
	g_mutex_unlock(&mutex);
	put_time(&id, epoch_ms);
	id.bytes[6] = (guint8)(0x70 | (id.bytes[6] & 0x0f));
	id.bytes[8] = (guint8)(0x80 | (id.bytes[8] & 0x3f));
	return id;
}

struct base_id
base_id_floor(gint64 epoch_ms)
{
	struct base_id id = {{0}};

	put_time(&id, epoch_ms);
	id.bytes[6] = 0x70;
	id.bytes[8] = 0x80;
	return id;
}

struct base_id
base_id_next(const struct base_id *id)
{
	struct base_id next = *id;

	for (gsize i = sizeof(next.bytes); i-- > 0;)
		if (++next.bytes[i] != 0)
			return next;
	return *id;
}

gint64
base_id_time(const struct base_id *id)
{
	gint64 ms = 0;

	for (int i = 0; i < 6; i++)
		ms = ms << 8 | id->bytes[i];
	return ms;
}

const char *
base_id_format(const struct base_id *id, char text_r[ID_TEXT_SIZE])
{
	static const char hex[] = "0123456789abcdef";
	char *p = text_r;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		*p++ = hex[id->bytes[i] >> 4];
		*p++ = hex[id->bytes[i] & 15];
	}
	*p = '\0';
	return text_r;
}

bool
base_id_parse(const char *text, struct base_id *id_r)
{
	struct base_id id = {0};
	int digits = 0;

	if (strlen(text) != ID_TEXT_SIZE - 1)
		return false;
	for (int i = 0; i < ID_TEXT_SIZE - 1; i++) {
		if (i == 8 || i == 13 || i == 18 || i == 23) {
			if (text[i] != '-')
				return false;
			continue;
		}
		int value = g_ascii_xdigit_value(text[i]);
		if (value < 0)
			return false;
		id.bytes[digits / 2] = (guint8)(id.bytes[digits / 2] << 4 | value);
		digits++;
	}
	*id_r = id;
	return true;
}

bool
base_id_equal(const struct base_id *a, const struct base_id *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}
