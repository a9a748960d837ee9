/* SPDX-License-Identifier: MIT */
/* Starts a private NSD and changes its zones. */
#include "tests/support/nsd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_S 120
#define TYPE_SOA 6

struct test_nsd {
	char *dir, *address;
	char **zones;
	guint port, serial;
	GPid pid;
};

static char *
nsd_find_program(void)
{
	char *path = g_find_program_in_path("nsd");

	if (!path && g_file_test("/usr/sbin/nsd", G_FILE_TEST_IS_EXECUTABLE))
		path = g_strdup("/usr/sbin/nsd");
	return path;
}

bool
test_nsd_there(void)
{
	g_autofree char *path = nsd_find_program();

	return path != NULL;
}

static void
nsd_write_file(const char *dir, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autoptr(GError) error = NULL;

	if (!g_file_set_contents(path, text, -1, &error))
		g_error("%s", error->message);
}

static void
write_zone(struct test_nsd *nsd, const char *zone, const char *records)
{
	g_autofree char *text =
	    g_strdup_printf("$ORIGIN %s.\n$TTL 60\n"
			    "@ IN SOA ns1.%s. host\\.master.%s. %u 60 60 60 60\n"
			    "@ IN NS ns1.%s.\n%s\n",
		zone, zone, zone, ++nsd->serial, zone, records);

	nsd_write_file(nsd->dir, zone, text);
}

/* One of loopback that is this process's own, so that nobody takes a port while the server is
   started anew: a pid has 22 bits at most. */
static struct sockaddr_in
nsd_own_address(guint port)
{
	guint32 pid = (guint32)getpid();

	return (struct sockaddr_in){.sin_family = AF_INET,
	    .sin_port = htons((guint16)port),
	    .sin_addr.s_addr = htonl(0x7f400000 + (pid & 0x3fffff))};
}

static bool
nsd_is_free(guint port)
{
	struct sockaddr_in address = nsd_own_address(port);
	int udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool yes = bind(udp, (struct sockaddr *)&address, sizeof(address)) == 0 &&
		   bind(tcp, (struct sockaddr *)&address, sizeof(address)) == 0;

	close(udp);
	close(tcp);
	return yes;
}

/* One that is free for UDP and TCP alike, below those that the kernel gives out. */
static guint
find_port(void)
{
	static guint next = 10000;

	while (!nsd_is_free(next))
		next++;
	return next++;
}

static void
configure(struct test_nsd *nsd)
{
	g_autoptr(GString) text = g_string_new(NULL);
	char ip[INET_ADDRSTRLEN];

	nsd->port = find_port();
	struct sockaddr_in address = nsd_own_address(nsd->port);
	inet_ntop(AF_INET, &address.sin_addr, ip, sizeof(ip));
	g_free(nsd->address);
	nsd->address = g_strdup_printf("%s:%u", ip, nsd->port);
	g_string_append_printf(text,
	    "server:\n\tserver-count: 1\n\tip-address: %s@%u\n\tzonesdir: \"%s\"\n"
	    "\tdatabase: \"\"\n\tpidfile: \"\"\n\tzonelistfile: \"%s/zone.list\"\n"
	    "\txfrdfile: \"\"\n\txfrdir: \"%s\"\n\tusername: \"\"\n\tchroot: \"\"\n"
	    "\tlogfile: \"%s/log\"\n\thide-version: yes\n\trrl-ratelimit: 0\n"
	    "remote-control:\n\tcontrol-enable: no\n",
	    ip, nsd->port, nsd->dir, nsd->dir, nsd->dir, nsd->dir);
	for (char **zone = nsd->zones; *zone; zone++)
		g_string_append_printf(
		    text, "zone:\n\tname: \"%s\"\n\tzonefile: \"%s\"\n", *zone, *zone);
	nsd_write_file(nsd->dir, "conf", text->str);
}

static void
end_with_parent(gpointer nothing)
{
	/* NSD ends its children when it is told to, not when it is killed. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}

static void
launch(struct test_nsd *nsd)
{
	g_autofree char *program = nsd_find_program();
	g_autofree char *conf = g_build_filename(nsd->dir, "conf", NULL);
	const char *argv[] = {program, "-d", "-c", conf, NULL};
	g_autoptr(GError) error = NULL;

	if (!program)
		g_error("nsd is not installed");
	if (!g_spawn_async(NULL, (char **)argv, NULL,
		G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL | G_SPAWN_STDOUT_TO_DEV_NULL,
		end_with_parent, NULL, &nsd->pid, &error))
		g_error("%s", error->message);
}

static gsize
make_query(const char *zone, guint8 query_r[512])
{
	static const guint8 header[] = {0x12, 0x34, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
	static const guint8 tail[] = {0, 0, TYPE_SOA, 0, 1};
	g_auto(GStrv) labels = g_strsplit(zone, ".", -1);
	gsize size = sizeof(header);

	memcpy(query_r, header, size);
	for (char **label = labels; *label; label++) {
		query_r[size++] = (guint8)strlen(*label);
		memcpy(query_r + size, *label, strlen(*label));
		size += strlen(*label);
	}
	memcpy(query_r + size, tail, sizeof(tail));
	return size + sizeof(tail);
}

/* Whether the zone's SOA has this serial number by now. */
static bool
serves(const struct test_nsd *nsd, const char *zone, guint serial)
{
	struct sockaddr_in address = nsd_own_address(nsd->port);
	/* serial, then the four times of 60 seconds */
	const guint8 wanted[] = {(guint8)(serial >> 24), (guint8)(serial >> 16),
	    (guint8)(serial >> 8), (guint8)serial, 0, 0, 0, 60, 0, 0, 0, 60, 0, 0, 0, 60};
	guint8 query[512], reply[1024];
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct pollfd wait = {fd, POLLIN, 0};
	ssize_t size = -1;

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    send(fd, query, make_query(zone, query), 0) > 0 && poll(&wait, 1, 200) > 0)
		size = recv(fd, reply, sizeof(reply), 0);
	close(fd);
	return size > 0 && memmem(reply, (gsize)size, wanted, sizeof(wanted));
}

static bool
nsd_wait_for(struct test_nsd *nsd, const char *zone)
{
	gint64 end = g_get_monotonic_time() + START_S * G_USEC_PER_SEC;

	while (!serves(nsd, zone, nsd->serial)) {
		if (waitpid(nsd->pid, NULL, WNOHANG) != 0) {
			nsd->pid = 0;
			return false;
		}
		if (g_get_monotonic_time() > end)
			g_error("nsd does not serve %s in %s", zone, nsd->dir);
		g_usleep(2000);
	}
	return true;
}

struct test_nsd *
test_nsd_start(const char *const *zones)
{
	struct test_nsd *nsd = g_new0(struct test_nsd, 1);
	const char *last = NULL;
	g_autoptr(GError) error = NULL;

	nsd->zones = g_strdupv((char **)zones);
	nsd->dir = g_dir_make_tmp("posthouse-nsd-XXXXXX", &error);
	if (!nsd->dir)
		g_error("%s", error->message);
	for (char **zone = nsd->zones; *zone; zone++) {
		write_zone(nsd, *zone, "");
		last = *zone;
	}
	do {
		/* Again where somebody else took the port meanwhile. */
		configure(nsd);
		launch(nsd);
	} while (!nsd_wait_for(nsd, last));
	return nsd;
}

void
test_nsd_end(struct test_nsd *nsd)
{
	if (nsd->pid == 0)
		return;
	kill(nsd->pid, SIGTERM);
	waitpid(nsd->pid, NULL, 0);
	nsd->pid = 0;
}

void
test_nsd_set(struct test_nsd *nsd, const char *zone, const char *records)
{
	/* Started anew: told to read its zones again, it answers from the old ones for a while even
	 * after it has answered from the new ones. */
	test_nsd_end(nsd);
	write_zone(nsd, zone, records);
	launch(nsd);
	if (!nsd_wait_for(nsd, zone))
		g_error("nsd ended in %s", nsd->dir);
}

const char *
test_nsd_address(const struct test_nsd *nsd)
{
	return nsd->address;
}

void
test_nsd_stop(struct test_nsd *nsd)
{
	const char *remove[] = {"rm", "-rf", "--", nsd->dir, NULL};

	test_nsd_end(nsd);
	g_spawn_sync(
	    NULL, (char **)remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
	g_strfreev(nsd->zones);
	g_free(nsd->dir);
	g_free(nsd->address);
	g_free(nsd);
}
