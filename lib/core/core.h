/* SPDX-License-Identifier: MIT */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "store/quota.h"

struct db;
struct core_ahead;
struct core_journal;
struct config_settings;

/* Opens and clicks that wait to be recorded together (core/engagement.h). */
struct core_engagements {
	GPtrArray *waiting;   /* struct core_engagement; NULL: none yet */
	gint64 first, latest; /* when these came, on base_clock_boot */
};

/* Requests that wait to be stored together (core/calls.h). */
struct core_calls {
	GPtrArray *waiting; /* struct store_call; NULL: none yet */
	gint64 first;	    /* when the first came, on base_clock_boot */
};

/* Caches that rooms above keep in a process for as long as it lives. */
enum core_cache {
	CORE_CACHE_KEYS,	/* of core/keyring.h */
	CORE_CACHE_DERIVED,	/* of core/derive.h */
	CORE_CACHE_FIGURE_TAGS, /* of core/figures.h */
	CORE_CACHE_DESIGNS,	/* of automation/design_cache.h */
	CORE_CACHES,
};

struct core_owned {
	void *cache; /* NULL: none yet */
	void (*free)(void *cache);
};

/* The resources of a process that handles emails. main makes them and hands them down. */
struct core {
	const struct config_settings *settings; /* not owned */
	struct db *db;				/* NULL until core_ensure has connected */
	struct core_journal *journal;		/* NULL until core_ensure_journal */
	struct core_owned caches[CORE_CACHES];
	struct core_engagements engagements;
	struct core_calls calls;
	GArray *watched;		/* of core/watched.h, to be looked at; NULL: none yet */
	GArray *lacking;		/* likewise; NULL: none yet */
	GArray *key_uses;		/* of core/key.c, to be stored; NULL: none yet */
	const struct core_ahead *ahead; /* of core/ahead.h, for those that are being checked; NULL:
					   nothing */
	struct store_quota_excess excess; /* of the last LIMITED error of core/quota.h */
};

/* Loads what each process of a pool needs once, before they are forked, so that they share its
   memory: the types of GMime, and OpenSSL's algorithms. */
void core_load(void);

/* Opens nothing yet: core_ensure connects. settings outlive it. The caller closes it. */
struct core *core_open(const struct config_settings *settings);
void core_close(struct core *core);
DEFINE_AUTO(core, core_close)

/* A cache, made by its room when it is first asked for. core frees it. */
void *core_cache(
    struct core *core, enum core_cache cache, void *(*make)(void), void (*free_cache)(void *cache));

/* Connects to the database if there is no connection, and then checks the schema's version. To be
   called between requests or batches. TEMPORARY when the database cannot be reached or has another
   schema, FAILED when it refuses us. */
bool core_ensure(struct core *core, GError **error);

/* Opens the journal of this process if it has none. To be called before anything is claimed. FAILED
   when the journal cannot be written; then nothing may be sent. */
bool core_ensure_journal(struct core *core, GError **error);

/* Confines this process (process/seccomp.h) if [service] seccomp is on. To be called once
   core_ensure has connected: it cannot connect again. */
bool core_confine(const struct core *core, guint rights, GError **error);

#endif
