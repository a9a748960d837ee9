/* SPDX-License-Identifier: MIT */
/* The relays of the settings: which one a message goes to, and the state that the processes of a
   machine share about each: until when it rests and why, how many sessions it has, and when the
   next message may be sent. The state stands in a small file for each relay in the spool directory.
   A slot is a lock on one byte of that file; the kernel releases it when the process that holds it
   ends. */
#ifndef RELAY_H
#define RELAY_H

#include <glib.h>
#include <stdbool.h>

#include "base/scope.h"
#include "smtp/message.h"
#include "smtp/relay.h"

struct config_relay;
struct config_settings;

#define RELAY_NONE (-1) /* all relays rest, or the settings have none of the route */

/* Lists the relays of the settings, in their order, as an array of struct smtp_relay. Their strings
   belong to settings. The caller frees the array. */
GPtrArray *relay_list(const struct config_settings *settings);

/* Whether a relay belongs to a route: names of relays, separated by blanks; NULL: the relays that
   are default. */
bool relay_is_on(const struct config_relay *relay, const char *route);

/* The ways in which the relays of a route learn what becomes of a message. route: as of
   relay_choose. */
struct relay_returns {
	bool
	    is_elsewhere; /* every relay has a provider that reports, or a return path of its own */
	bool has_own;	  /* some relay has a return path of its own */
};
struct relay_returns relay_returns(const struct config_settings *settings, const char *route);

/* Whether every relay of a route takes header fields that steer its provider (mail/steering.h) from
   clients. False where the settings have no relay of the route. route: as of relay_choose. */
bool relay_takes_steering(const struct config_settings *settings, const char *route);

/* Whether any relay of the settings does. */
bool relay_any_takes_steering(const struct config_settings *settings);

/* The index of the relay of a name; RELAY_NONE: the settings do not have it. */
int relay_find(const struct config_settings *settings, const char *name);

/* Why a relay took no session: a sentence, and its enhanced status code, or "". */
struct relay_refusal {
	char text[SMTP_TEXT_BYTES + 1];
	char enhanced[SMTP_ENHANCED_SIZE];
};

/* The permission for one session with one relay. */
struct relay_slot;

/* Takes a slot of the relay at index. NULL when it rests, or has all its sessions; also when the
   spool directory cannot be written, and then error is set (FAILED). The caller frees it. */
struct relay_slot *relay_slot_take(
    const struct config_settings *settings, guint index, GError **error);
void relay_slot_free(struct relay_slot *slot);
DEFINE_AUTO(relay_slot, relay_slot_free)

/* Whether a relay that neither rests nor has all its sessions exists, or, with even_resting, one
   that rests. False with an error as above. */
bool relay_is_any_free(const struct config_settings *settings, bool even_resting, GError **error);

/* The slot's relay, which the slot owns. */
const struct smtp_relay *relay_slot_relay(const struct relay_slot *slot);

/* The slot's sessions connect from this address of its relay (its place in sources), by the name
   that is set for it. */
void relay_slot_use_source(
    struct relay_slot *slot, const struct config_settings *settings, int source);

/* Notes that no session could be had: the relay rests for a minute. */
void relay_slot_rest(struct relay_slot *slot, const struct relay_refusal *refusal);

/* Books the next message's turn under the relay's rate limit. Returns how many ms to wait before it
   is sent. */
gint64 relay_slot_wait(struct relay_slot *slot);

/* The state of a relay. */
struct relay_report {
	const struct config_relay *relay;
	gint64 rests_until; /* on base_clock_now; 0: it does not rest */
	guint sessions;
	struct relay_refusal refusal; /* why it rests */
};
/* Reads the state of the relay at index. False when index is past the last relay. */
bool relay_slot_report(
    const struct config_settings *settings, guint index, struct relay_report *report_r);

/* Choices among relays, for the messages of one delivery. */
struct relay_choice;

/* Reads which relays rest at the moment. settings outlive the result; the caller frees it. */
struct relay_choice *relay_choice_new(const struct config_settings *settings);
void relay_choice_free(struct relay_choice *choice);
DEFINE_AUTO(relay_choice, relay_choice_free)

#define RELAY_REST_MS 60000 /* after a refusal */

#define RELAY_BUSY (-2) /* the relays that do not rest have all their sessions */

/* Chooses the relay of a message: of those of the route, the lowest order that has one which does
   not rest; in it by weight. enforced: those that relay_choice_lack names for the domain are passed
   over. route: names, separated by blanks; NULL: all that are default. domain:
   whose route it is. Returns the relay's index, or RELAY_NONE with *refusal_r and in *resting_r the
   relay that it tells of (RELAY_NONE: no relay), or RELAY_BUSY. */
int relay_choose(struct relay_choice *choice, const char *route, const char *domain, bool enforced,
    struct relay_refusal *refusal_r, int *resting_r);

/* Notes that a relay rests, or has all its sessions, for the rest of this delivery. */
void relay_choice_rest(
    struct relay_choice *choice, guint index, const struct relay_refusal *refusal);
void relay_choice_busy(struct relay_choice *choice, guint index);
/* Notes for the rest of this delivery that a relay has not the TLS that a domain enforces. */
void relay_choice_lack(struct relay_choice *choice, guint index, const char *domain,
    const struct relay_refusal *refusal);
/* Whether none of these was noted of a relay. enforced: the domain that enforces TLS, or NULL. */
bool relay_choice_is_free(const struct relay_choice *choice, int index, const char *enforced);

#endif
