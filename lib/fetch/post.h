/* SPDX-License-Identifier: MIT */
/* Many requests at once, mostly posts, only to the public internet. */
#ifndef FETCH_POST_H
#define FETCH_POST_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "fetch/address_policy.h"

/* Posts that go the same way: to one host and port, and one after the other as far as width allows.
   A post that gets no 2xx answer, or gets it late, halts its lane: the posts behind it that are not
   begun come back unsent. */
struct fetch_lane;

/* host: "name:port", as fetch_post_host gives it. The caller frees the lane when all its posts have
   come back. */
struct fetch_lane *fetch_lane_new(const char *host);
void fetch_lane_free(struct fetch_lane *lane);

/* The host and port of a URL, in one spelling; the caller owns it. NULL for a URL that
   fetch_url_valid refuses. */
char *fetch_post_host(const char *url);

/* An answer within this time is not late. */
#define FETCH_PROMPT_MS 1000

/* One request and its answer. */
struct fetch_post {
	struct fetch_lane *lane;
	guint generation;   /* starts at 0; a halted lane takes only posts of a higher one */
	guint width;	    /* of the lane: posts under way at once */
	bool slow;	    /* counts among those that may use half of the connections */
	gint64 begin_by;    /* on base_clock_boot: it comes back unsent, unless it begins until
			       then; 0: at any time */
	const char *method; /* NULL: POST */
	guint timeout_ms;   /* 0: LIMIT_WEBHOOK_MS */
	gsize most;	    /* bytes of text; 0: LIMIT_WEBHOOK_ANSWER_BYTES */
	char *url;	    /* these three are freed with the post */
	char **headers;	    /* "Name: value", NULL-terminated */
	GBytes *body;	    /* NULL: none */
	void *context;	    /* the caller's */

	/* The answer. */
	bool unsent;	    /* no attempt was made */
	bool halted;	    /* it halted its lane */
	guint status;	    /* the final status, 0 = there was no answer */
	GString *text;	    /* the first bytes of the body, at most as many as most */
	gint64 retry_after; /* ms from ended on that Retry-After asks to wait; 0: it does not */
	char *error; /* why there was no answer, without addresses; NULL where there was one */
	int reason;  /* the errno of a connection that was not made; 0: none */
	gint64 begun, ended; /* base_clock_now */
};

void fetch_post_free(struct fetch_post *post);
DEFINE_AUTO(fetch_post, fetch_post_free)

/* Whether the answer is 2xx. */
bool fetch_post_succeeded(const struct fetch_post *post);

/* A thread that makes posts, on connections that it keeps. */
struct fetch_poster;

/* rules outlive the poster. connections: under way at once; host_connections: to one host and port.
   tls_ca: file of trusted certificates; NULL: the system's. The caller frees the poster. */
struct fetch_poster *fetch_poster_new(
    const struct fetch_rules *rules, guint connections, guint host_connections, const char *tls_ca);

/* Hands a post over. It makes one attempt over HTTP/1.1 whose addresses are checked as
   those of fetch_get, that follows no redirect and ends after timeout_ms. The answer counts
   as soon as its header is read; of the body no more than LIMIT_WEBHOOK_BODY_BYTES are read, for
   FETCH_PROMPT_MS at most. The poster owns the post until fetch_poster_take returns it. */
void fetch_poster_send(struct fetch_poster *poster, struct fetch_post *post);

/* A post that is done, in the order in which they end; NULL when none is within wait_ms. The caller
   frees it. */
struct fetch_post *fetch_poster_take(struct fetch_poster *poster, gint64 wait_ms);

/* From now on no post is begun: those not begun come back unsent. */
void fetch_poster_halt(struct fetch_poster *poster);

/* Ends the posts under way, and frees them and those that were not taken. */
void fetch_poster_free(struct fetch_poster *poster);
DEFINE_AUTO(fetch_poster, fetch_poster_free)

#endif
