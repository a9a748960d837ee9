/* SPDX-License-Identifier: MIT */
/* Takes the turns of messages at the destinations of their recipients, and learns from the replies.
 */
#include "delivery/pacing.h"

#include "config/settings.h"
#include "delivery/message.h"
#include "relay/destination.h"
#include "relay/pace.h"

struct delivery_pacing {
	const struct config_settings *settings;
	struct delivery_message *const *messages;
	guint count;
	struct relay_pace *pace;
	struct relay_destinations *destinations;
	GHashTable *joined; /* the destination of each domain that was looked up */
};

struct delivery_pacing *
delivery_pacing_new(
    const struct config_settings *settings, struct delivery_message *const *messages, guint count)
{
	struct delivery_pacing *pacing = g_new(struct delivery_pacing, 1);

	*pacing = (struct delivery_pacing){
	    .settings = settings,
	    .messages = messages,
	    .count = count,
	    .pace = relay_pace_open(settings),
	    .destinations = relay_destination_open(settings),
	    .joined = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
	};
	return pacing;
}

void
delivery_pacing_free(struct delivery_pacing *pacing)
{
	relay_pace_close(pacing->pace);
	relay_destination_close(pacing->destinations);
	g_hash_table_unref(pacing->joined);
	g_free(pacing);
}

struct relay_destinations *
delivery_pacing_destinations(const struct delivery_pacing *pacing)
{
	return pacing->destinations;
}

/* The name of the relay that a message goes to. */
static const char *
pacing_relay_of(const struct delivery_pacing *pacing, const struct delivery_message *message)
{
	return config_settings_relay(pacing->settings, (guint)message->relay)->name;
}

/* Looks up the destinations of all recipients. */
static void
pacing_join(struct delivery_pacing *pacing)
{
	g_autoptr(GPtrArray) domains = g_ptr_array_new();

	for (guint i = 0; i < pacing->count; i++) {
		const struct smtp_message *smtp = &pacing->messages[i]->smtp;

		for (guint r = 0; r < smtp->count; r++) {
			char *domain = relay_destination_domain(smtp->recipients[r].address);

			if (g_hash_table_insert(pacing->joined, domain, NULL))
				g_ptr_array_add(domains, domain);
		}
	}
	g_autofree const char **names = g_new(const char *, domains->len);
	relay_destination_find(
	    pacing->destinations, (const char *const *)domains->pdata, domains->len, names);
	/* A key stays the domain that was inserted first; a name may be that domain. */
	for (guint i = 0; i < domains->len; i++)
		g_hash_table_insert(pacing->joined, g_strdup(domains->pdata[i]), (char *)names[i]);
}

/* The destination of a recipient. Two of the same destination have the same pointer. */
static const char *
destination_of(struct delivery_pacing *pacing, const struct smtp_recipient *recipient)
{
	g_autofree char *domain = relay_destination_domain(recipient->address);

	if (g_hash_table_size(pacing->joined) == 0)
		pacing_join(pacing);
	return g_hash_table_lookup(pacing->joined, domain);
}

/* The first recipient of a message that has this destination; end: none before that place. */
static guint
find_same(struct delivery_pacing *pacing, const struct delivery_message *message, guint end,
    const char *destination)
{
	for (guint i = 0; i < end; i++)
		if (destination_of(pacing, &message->smtp.recipients[i]) == destination)
			return i;
	return end;
}

/* Takes the turn of the recipient at this place, unless an earlier one of the same destination has
   decided. */
static void
pacing_take_turn(struct delivery_pacing *pacing, struct delivery_message *message, guint place)
{
	struct smtp_recipient *recipients = message->smtp.recipients;
	const char *destination = destination_of(pacing, &recipients[place]);
	guint same = find_same(pacing, message, place, destination);
	struct relay_pace_wait wait;

	recipients[place].is_held =
	    same < place ? recipients[same].is_held
			 : !relay_pace_take(pacing->pace, pacing_relay_of(pacing, message),
			       destination, message, &wait);
	if (recipients[place].is_held && same == place && wait.until > message->wait.until)
		message->wait = wait;
}

bool
delivery_pacing_take(struct delivery_pacing *pacing, struct delivery_message *message)
{
	bool is_idle = relay_pace_is_idle(pacing->pace), goes = false;

	message->wait = delivery_message_source_wait(message);
	for (guint i = 0; i < message->smtp.count; i++) {
		message->smtp.recipients[i].is_held = delivery_message_lacks_source(message, i);
		if (!is_idle && !message->smtp.recipients[i].is_held)
			pacing_take_turn(pacing, message, i);
		goes = goes || !message->smtp.recipients[i].is_held;
	}
	return goes;
}

/* Whether a recipient's reply slows its destination. */
static bool
is_deferral(const struct smtp_recipient *recipient)
{
	return recipient->outcome == SMTP_TEMPORARY &&
	       (recipient->stage == SMTP_STAGE_RCPT || recipient->stage == SMTP_STAGE_DATA) &&
	       (recipient->code == 421 || g_str_has_prefix(recipient->enhanced, "4.7."));
}

/* The pace learns from the replies of one destination, that of the recipient at begin. */
static void
learn_from(struct delivery_pacing *pacing, const struct delivery_message *message, guint begin,
    const char *destination)
{
	const char *relay = pacing_relay_of(pacing, message);
	bool sent = false;

	for (guint i = begin; i < message->smtp.count; i++) {
		const struct smtp_recipient *recipient = &message->smtp.recipients[i];

		if (destination_of(pacing, recipient) != destination)
			continue;
		if (is_deferral(recipient)) {
			g_autofree char *reply = delivery_message_reply(recipient);

			relay_pace_defer(pacing->pace, relay, destination, reply);
			return;
		}
		sent = sent || recipient->outcome == SMTP_SENT;
	}
	if (sent)
		relay_pace_accept(pacing->pace, relay, destination);
}

void
delivery_pacing_learn(struct delivery_pacing *pacing, const struct delivery_message *message)
{
	bool matters = !relay_pace_is_idle(pacing->pace);

	for (guint i = 0; i < message->smtp.count; i++)
		matters = matters || is_deferral(&message->smtp.recipients[i]);
	for (guint i = 0; matters && i < message->smtp.count; i++) {
		const char *destination = destination_of(pacing, &message->smtp.recipients[i]);

		if (find_same(pacing, message, i, destination) == i)
			learn_from(pacing, message, i, destination);
	}
	relay_pace_end(pacing->pace, message);
}

void
delivery_pacing_end(struct delivery_pacing *pacing)
{
	relay_pace_end(pacing->pace, NULL);
}

bool
delivery_pacing_is_slowed(
    const struct delivery_pacing *pacing, const struct delivery_message *message)
{
	if (message->relay < 0 || relay_pace_is_idle(pacing->pace))
		return false;
	for (guint i = 0; i < message->smtp.count; i++) {
		g_autofree char *domain =
		    relay_destination_domain(message->smtp.recipients[i].address);

		if (relay_pace_is_slowed(pacing->pace, pacing_relay_of(pacing, message),
			relay_destination_known(pacing->destinations, domain)))
			return true;
	}
	return false;
}
