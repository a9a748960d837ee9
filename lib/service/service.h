/* SPDX-License-Identifier: MIT */
/* The resources that a process opens once and hands down: database, settings, secrets, journal,
   caches. */
#ifndef SERVICE_H
#define SERVICE_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"

struct db;
struct service_journal;
struct config_settings;

/* Opens and clicks that wait to be recorded together (link/engagement.h). */
struct service_engagements {
	GPtrArray *waiting;   /* struct link_engagement; NULL: none yet */
	gint64 first, latest; /* when these came, on base_clock_boot */
};

/* Requests that wait to be stored together (service/request_history.h). */
struct service_calls {
	GPtrArray *waiting; /* struct store_request_history; NULL: none yet */
	gint64 first;	    /* when the first came, on base_clock_boot */
};

/* Caches that rooms above keep in a process for as long as it lives. */
enum service_cache {
	SERVICE_CACHE_KEYS,	   /* of email/keyring.h */
	SERVICE_CACHE_DERIVED,	   /* of content/derive.h */
	SERVICE_CACHE_FIGURE_TAGS, /* of email/figures.h */
	SERVICE_CACHE_DESIGNS,	   /* of automation/design_cache.h */
	SERVICE_CACHE_WARNED,	   /* of feedback/broadcast_health.h */
	SERVICE_CACHES,
};

struct service_owned {
	void *cache; /* NULL: none yet */
	void (*free)(void *cache);
};

/* The resources that a process has once. All its handles of the database share them. */
struct service_process {
	struct service_journal *journal; /* NULL until service_ensure_journal */
	struct service_owned caches[SERVICE_CACHES];
	struct service_engagements engagements;
	struct service_calls calls;
	guint reads_s;	  /* of service_limit_reads; 0: no limit of its own */
	GArray *key_uses; /* of service/key_use.c, to be stored; NULL: none yet */
};

/* The resources of a process that handles emails. main makes them and hands them down. */
struct service {
	const struct config_settings *settings; /* not owned */
	struct db *db;				/* NULL until service_ensure has connected */
	struct service_process *process;
	bool is_guarded; /* made by service_guarded: process is another one's */
};

/* Loads what each process of a pool needs once, before they are forked, so that they share its
   memory: the types of GMime, and OpenSSL's algorithms. */
void service_load(void);

/* Opens nothing yet: service_ensure connects. settings outlive it. The caller closes it. */
struct service *service_open(const struct config_settings *settings);
void service_close(struct service *service);

/* Limits how long reads of the database wait for an answer (db_limit_reads), before it connects. */
void service_limit_reads(struct service *service, guint seconds);

/* The same resources for one request: what goes to the database goes through db, a handle of
   db_guarded (db/precondition.h), which it takes. service has connected, and outlives it. The
   caller closes it. */
struct service *service_guarded(const struct service *service, struct db *db);
DEFINE_AUTO(service, service_close)

/* A cache, made by its room when it is first asked for. service frees it. */
void *service_cache(struct service *service, enum service_cache cache, void *(*make)(void),
    void (*free_cache)(void *cache));

/* Connects to the database if there is no connection, and then checks the schema's version. To be
   called between requests or batches. TEMPORARY when the database cannot be reached or has another
   schema, FAILED when it refuses us. */
bool service_ensure(struct service *service, GError **error);

/* Opens the journal of this process if it has none. To be called before anything is claimed. FAILED
   when the journal cannot be written; then nothing may be sent. */
bool service_ensure_journal(struct service *service, GError **error);

/* Confines this process (process/seccomp.h) if [service] seccomp is on. To be called once
   service_ensure has connected: it cannot connect again. */
bool service_confine(const struct service *service, guint rights, GError **error);

#endif
