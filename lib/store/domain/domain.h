/* SPDX-License-Identifier: MIT */
/* Sending domains. Errors that a function does not name are those of db/statement.h. */
#ifndef STORE_DOMAIN_DOMAIN_H
#define STORE_DOMAIN_DOMAIN_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"
#include "store/common/turn.h"
#include "store/domain/status.h"
#include "store/email/stream.h"
#include "store/workspace/creator.h"
#include "store/workspace/quota.h"

struct db;
struct db_prefetch;
struct db_prefetch_form;
struct store_suppression_key;
struct db_rows;
struct store_domain_key;
struct store_page;

#define STORE_DOMAIN_REGION "us-east-1" /* unless one is named */
#define STORE_DOMAIN_RETURN_PATH "send" /* the label of its return paths, unless one is named */

/* The word of the API for it. */
const char *store_domain_status_name(enum store_domain_status status);

/* The fault of a required DNS record. Stored as number. */
enum store_domain_error {
	DOMAIN_ERROR_NONE = 0,
	DOMAIN_DNS_SERVER_ERROR = 1,
	DOMAIN_HOST_NOT_FOUND = 2,
	DOMAIN_TYPE_NOT_FOUND = 3,
	DOMAIN_INVALID_VALUE = 4,
};

/* The word of the API for it; NULL for none. */
const char *store_domain_error_name(enum store_domain_error error);

/* The state of a domain's DNS checks. Times are epoch ms, 0 = never. */
struct store_domain_check {
	gint64 series;	   /* when the schedule of its checks began */
	gint64 next_check; /* 0 = none is planned */
	gint64 last_checked, last_success;
	gint64 failing_since; /* since when a record that was right has been wrong */
	enum store_domain_error error;
	char *findings;		       /* JSON, see domain/zone.h; NULL = none yet */
	char *soa_primary, *soa_admin; /* NULL: not known */
	gint64 soa_serial;
	gint64 tracking_checked; /* when its tracking host was last asked */
	gint64 tracking_found;	 /* when a check last found the record of its tracking host */
	char *tracking_error;	 /* why the host was not reached then; NULL: it was, or not asked */
};

struct store_domain {
	struct base_id id;
	struct base_id workspace_id;
	char *name; /* A-labels in lower case */
	enum store_domain_status status;
	bool trusted; /* by an operator: DNS is not checked */
	bool open_tracking, click_tracking;
	bool receiving;	     /* mail for it is taken */
	bool reply_tracking; /* its emails have a Reply-To of ours */
	char *return_path;   /* the label in front of its name in return paths; NULL: not read */
	bool tls_enforced;   /* its mail leaves over TLS with a certificate that holds alone */
	char *tracking_host; /* the host for links in its mail; NULL: none */
	bool tracking_used;  /* new mail has that host in its links */
	gint64 warmed_up_at; /* 0 = not yet */
	gint64 created;

	/* read by store_domain_find_sender alone */
	struct store_quota quota;	 /* of its workspace */
	char *relays[STORE_STREAMS + 1]; /* by enum store_stream: its route, or its workspace's:
					    names, separated by blanks; NULL: none */
	guint stream_limits; /* of its workspace: 1 << stream for each that is paused or paced */
	guint ruled;	     /* the rules that its workspace has (store/outbox/sending.h) */

	char *region; /* a name; read by store_domain_get and store_domain_page alone */

	/* read by store_domain_get and store_domain_list alone */
	struct store_creator creator;
	struct store_domain_check check;
	GPtrArray *keys; /* of struct store_domain_key, all of them, in the order of
			    store_domain_key_list; else NULL */
};

void store_domain_free(struct store_domain *domain);
DEFINE_AUTO(store_domain, store_domain_free)

/* Sets the domain's route of a stream (0: of all that have none of their own), or with domain NULL
   that of the workspace: names of relays, separated by blanks; NULL takes the route away. */
bool store_domain_set_relays(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, enum store_stream stream, const char *relays, GError **error);

/* True when mail may be sent from it. */
bool store_domain_verified(const struct store_domain *domain);

/* The registration of a domain, by a user. All borrowed. */
struct store_domain_creation {
	const struct base_id *user; /* NULL: none */
	struct store_domain_key *const *keys;
	guint count;	   /* of keys */
	gint64 next_check; /* the first one, epoch ms; 0: never */
};

/* Registers domain->name with its keys, settings, tracking switches and region (NULL:
   STORE_DOMAIN_REGION), in one transaction; sets domain->id, created and check. CONFLICT when the
   workspace has the name, or, with no db_cause, has reached its limit of domains. */
bool store_domain_create(struct db *db, struct store_domain *domain,
    const struct store_domain_creation *creation, GError **error);

/* The workspace's domain with exactly this name. NOT_FOUND. The caller frees it. */
struct store_domain *store_domain_find(
    struct db *db, const struct base_id *workspace, const char *name, GError **error);

/* Recipients, who are looked up on the suppression list with the sender's domain. */
struct store_domain_recipients {
	const struct store_suppression_key *keys; /* each has one hash */
	guint count;				  /* 1 to STORE_SUPPRESSION_TOGETHER */
	bool mailing;				  /* which kind of mail is to be sent */
	bool suppressed;			  /* the answer: whether one of them gets none */
	gint64 snoozed; /* of a mailing to one: until when there is a snooze, epoch ms; 0: not */
};

/* The nearest domain of the workspace that equals name or is a parent of it; and whether one of the
   recipients gets no mail (recipients may be NULL). NOT_FOUND. The caller frees it. */
struct store_domain *store_domain_find_sender(struct db *db, const struct base_id *workspace,
    const char *name, struct store_domain_recipients *recipients, GError **error);

/* The verified domain of whichever workspace that is nearest to a name in ASCII, for mail of the
   service itself, without quotas; *domain_r is NULL when there is none. The caller frees it. */
bool store_domain_find_verified(
    struct db *db, const char *name, struct store_domain **domain_r, GError **error);

/* A domain with its creator, check and keys. NOT_FOUND. The caller frees it. */
struct store_domain *store_domain_get(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

/* The same, taking what ahead has (store_domain_ahead; NULL: nothing). */
struct store_domain *store_domain_get_prefetched(struct db *db, const struct db_prefetch *ahead,
    const struct base_id *workspace, const struct base_id *id, GError **error);

/* Reads many (db/prefetch.h). Values: the ids of domain and workspace. */
extern const struct db_prefetch_form store_domain_ahead;

/* A page of domains, newest first, at most limit, older than before (NULL: from the newest on),
   as an array of struct store_domain with creator, check and keys. The caller owns it. */
GPtrArray *store_domain_list(struct db *db, const struct base_id *workspace,
    const struct base_id *before, guint limit, GError **error);

/* A page of domains (store/common/listing.h), without creator, check and keys, as an array of
   struct store_domain. The caller owns it. */
GPtrArray *store_domain_page(
    struct db *db, const struct base_id *workspace, const struct store_page *page, GError **error);

/* Trusts a domain without DNS: it is SUCCESS from now on, its checks end, and keys that wait for
   DNS sign now. NOT_FOUND. */
bool store_domain_trust(
    struct db *db, const struct base_id *workspace, const char *name, GError **error);

/* The members to change; one that is NULL stays as it is. */
struct store_domain_change {
	const bool *opens, *clicks; /* the tracking switches */
	const char *region;
	const bool *receiving, *reply_tracking;
};

/* Changes the settings of a domain. One that receives for the first time gets the route that stores
   all (store/received/route.h). NOT_FOUND. */
bool store_domain_change(struct db *db, const struct base_id *workspace, const struct base_id *id,
    const struct store_domain_change *change, GError **error);

/* Removes a domain with its keys and checks. NOT_FOUND. */
bool store_domain_remove(
    struct db *db, const struct base_id *workspace, const struct base_id *id, GError **error);

struct store_domain_claim {
	struct base_id workspace_id;
	struct base_id domain_id;
};

/* A claim of domains whose check is due now, at most limit, until a time (epoch ms). */
struct store_domain_due {
	struct store_turn *turn; /* NULL: always longest due first */
	gint64 token;		 /* new for each claim; it fences later records */
	gint64 now, until;
	guint limit;
};

/* Claims domains, longest due first; when it is time to take turns, only domains of workspaces
   whose turn it is. Any number of processes and machines may call it at once. claims_r has room
   for due->limit. */
bool store_domain_claim_due(struct db *db, const struct store_domain_due *due,
    struct store_domain_claim *claims_r, guint *count_r, GError **error);

/* Claims one domain, due or not, claimed or not. NOT_FOUND. */
bool store_domain_claim_one(struct db *db, const struct base_id *workspace,
    const struct base_id *domain, gint64 token, gint64 until, GError **error);

/* Stores the result of a check: the domain's status, check and keys (state, seen, retired_at),
   if its claim still has this token; *kept_r tells. */
bool store_domain_claim_record(
    struct db *db, const struct store_domain *domain, gint64 token, bool *kept_r, GError **error);

/* Ends a check that cannot be recorded: stores only when the next one is due. */
bool store_domain_claim_skip(
    struct db *db, const struct store_domain *domain, gint64 token, GError **error);

#endif
