/* SPDX-License-Identifier: MIT */
/* Chooses the addresses from which relays are connected, and counts what warms up. */
#include "relay/source.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/settings.h"
#include "process/lock.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)

/* The count of an address. */
struct source_count {
	gint64 day;    /* since 1970 */
	gint64 number; /* the days on which it has sent, with that one */
	gint64 used;   /* recipients of that day */
};

/* Opens a file of the spool directory, and locks it until it is closed. -1: it cannot be. */
static int
source_open(const struct config_settings *settings, const char *prefix, const char *name)
{
	g_autofree char *file = g_strconcat(prefix, name, NULL);
	g_autofree char *path =
	    g_build_filename(config_settings_text(settings, SETTING_SPOOL_DIR), file, NULL);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd >= 0)
		process_lock_byte(fd, F_OFD_SETLKW, F_WRLCK, 0);
	return fd;
}

static struct source_count
source_read(int fd)
{
	struct source_count count;

	return pread(fd, &count, sizeof(count), 0) == (ssize_t)sizeof(count)
		   ? count
		   : (struct source_count){.day = -1};
}

static void
source_write(int fd, const struct source_count *count)
{
	/* If this fails, the address only sends more than it should. */
	if (pwrite(fd, count, sizeof(*count), 0) != (ssize_t)sizeof(*count))
		g_debug("relay: the count of an address is not written");
}

/* Books the turn of a message among the addresses of a relay. */
static guint
source_turn(const struct config_settings *settings, const struct config_relay *relay, guint count)
{
	int fd = count > 1 ? source_open(settings, "source-turn.", relay->name) : -1;
	guint32 turn = 0;

	if (fd < 0)
		return 0;
	if (pread(fd, &turn, sizeof(turn), 0) != (ssize_t)sizeof(turn))
		turn = 0;
	turn %= count;
	const guint32 next = turn + 1;
	if (pwrite(fd, &next, sizeof(next), 0) != (ssize_t)sizeof(next))
		turn = (guint32)g_random_int_range(0, (gint32)count);
	close(fd);
	return turn;
}

static void
source_say(struct relay_source *source, const char *address, gint64 used, gint64 most)
{
	g_autoptr(GDateTime) next =
	    g_date_time_new_from_unix_utc((source->day + 1) * DAY_MS / 1000);
	g_autofree char *date = g_date_time_format(next, "%Y-%m-%d");

	source->until = (source->day + 1) * DAY_MS;
	g_snprintf(source->text, sizeof(source->text),
	    "warm-up: %s has sent %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
	    " today, the rest leaves from %s",
	    address, used, most, date);
}

/* Takes recipients of an address, as far as it has some left today. */
static void
source_grant(const struct config_settings *settings, const char *address, guint recipients,
    struct relay_source *source)
{
	const struct config_source *own = config_settings_source_of(settings, address);
	gint64 today = base_clock_now() / DAY_MS;

	*source = (struct relay_source){.index = source->index, .granted = recipients, .day = -1};
	if (!own || !own->warmup[0])
		return;
	int fd = source_open(settings, "source.", address);
	if (fd < 0)
		return;
	struct source_count count = source_read(fd);
	if (count.day < today)
		count = (struct source_count){today, count.number + 1, 0};
	if (count.number <= (gint64)g_strv_length((char **)own->warmup)) {
		gint64 most = g_ascii_strtoll(own->warmup[count.number - 1], NULL, 10);

		source->day = count.day;
		source->granted = (guint)MIN(MAX(most - count.used, 0), (gint64)recipients);
		count.used += source->granted;
		if (source->granted < recipients)
			source_say(source, address, count.used, most);
	}
	source_write(fd, &count);
	close(fd);
}

void
relay_source_take(const struct config_settings *settings, const struct config_relay *relay,
    guint recipients, struct relay_source *source_r)
{
	guint count = g_strv_length((char **)relay->sources);
	struct relay_source first = {.index = -1, .granted = recipients, .day = -1};

	*source_r = first;
	if (count == 0)
		return;
	guint turn = source_turn(settings, relay, count);
	for (guint i = 0; i < count; i++) {
		source_r->index = (int)((turn + i) % count);
		source_grant(settings, relay->sources[source_r->index], recipients, source_r);
		if (source_r->granted > 0)
			return;
		if (i == 0)
			first = *source_r;
	}
	*source_r = first;
}

void
relay_source_return(const struct config_settings *settings, const struct config_relay *relay,
    const struct relay_source *source, guint recipients)
{
	int fd = source->day < 0 || recipients == 0
		     ? -1
		     : source_open(settings, "source.", relay->sources[source->index]);

	if (fd < 0)
		return;
	struct source_count count = source_read(fd);
	if (count.day == source->day) {
		count.used = MAX(count.used - recipients, 0);
		source_write(fd, &count);
	}
	close(fd);
}
