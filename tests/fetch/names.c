/* SPDX-License-Identifier: MIT */
/* Replaces the C library's getaddrinfo, which libcurl calls. */
#include "tests/fetch/names.h"

#include <dlfcn.h>
#include <glib.h>
#include <netdb.h>
#include <stdbool.h>
#include <string.h>

struct name {
	const char *name, *first, *later;
	int asked;
	bool silent;
};

static GMutex mutex;
static GCond released;
static struct name names[8];
static size_t count;
static bool is_released;

static void
fetch_names_add(struct name name)
{
	g_mutex_lock(&mutex);
	g_assert(count < G_N_ELEMENTS(names));
	names[count++] = name;
	g_mutex_unlock(&mutex);
}

void
names_add(const char *name, const char *first, const char *later)
{
	fetch_names_add((struct name){name, first, later ? later : first, 0, false});
}

void
names_add_silent(const char *name)
{
	fetch_names_add((struct name){name, "", "", 0, true});
}

void
names_release(void)
{
	g_mutex_lock(&mutex);
	is_released = true;
	g_cond_broadcast(&released);
	g_mutex_unlock(&mutex);
}

static const char *
names_look_up(const char *wanted)
{
	const char *addresses = "";

	g_mutex_lock(&mutex);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i].name, wanted) != 0)
			continue;
		while (names[i].silent && !is_released)
			g_cond_wait(&released, &mutex);
		addresses = names[i].asked++ ? names[i].later : names[i].first;
	}
	g_mutex_unlock(&mutex);
	return addresses;
}

int
getaddrinfo(const char *restrict node, const char *restrict service,
    const struct addrinfo *restrict hints, struct addrinfo **restrict found_r)
{
	static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	g_auto(GStrv) addresses = NULL;
	struct addrinfo numeric = hints ? *hints : (struct addrinfo){0};
	struct addrinfo **end = found_r;

	if (!real)
		real = (int (*)(const char *, const char *, const struct addrinfo *,
		    struct addrinfo **))dlsym(RTLD_NEXT, "getaddrinfo");
	numeric.ai_flags |= AI_NUMERICHOST;
	if (!node || real(node, service, &numeric, found_r) == 0)
		return node ? 0 : real(node, service, hints, found_r);
	*found_r = NULL;
	addresses = g_strsplit(names_look_up(node), " ", -1);
	for (char **address = addresses; *address; address++) {
		struct addrinfo *found;
		if (real(*address, service, &numeric, &found) != 0)
			continue;
		*end = found;
		while (*end)
			end = &(*end)->ai_next;
	}
	return *found_r ? 0 : EAI_NONAME;
}
