/* SPDX-License-Identifier: MIT */
/* Puts contacts on the sides of a split. */
#include "automation/split.h"

#include <string.h>

#include "automation/node.h"
#include "base/secret.h"

/* The first 8 bytes of SHA-256 over contact and node, as a number. */
static guint64
hash(const char *node_id, const struct base_id *contact)
{
	gsize length = strlen(node_id);
	g_autofree guint8 *text = g_malloc(sizeof(contact->bytes) + length);
	guint8 digest[SHA256_SIZE];
	guint64 number;

	memcpy(text, contact->bytes, sizeof(contact->bytes));
	memcpy(text + sizeof(contact->bytes), node_id, length);
	base_secret_sha256(text, sizeof(contact->bytes) + length, digest);
	memcpy(&number, digest, sizeof(number));
	return GUINT64_FROM_BE(number);
}

const struct automation_node_side *
automation_split_side(
    const struct automation_node_split *split, const char *node_id, const struct base_id *contact)
{
	gint64 place = (gint64)(hash(node_id, contact) % (guint64)split->total);
	const struct automation_node_side *side = split->sides;

	while (place >= side->weight)
		place -= side++->weight;
	return side;
}
