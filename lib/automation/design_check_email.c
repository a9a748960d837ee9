/* SPDX-License-Identifier: MIT */
/* Checks the emails of a design: templates, senders and topics. */
#include "automation/design_check_email.h"

#include <stdbool.h>

#include "automation/design.h"
#include "automation/design_checking.h"
#include "automation/design_lookup.h"
#include "mail/address.h"

/* Checks that the template exists, and that it or the node has a subject. */
static bool
design_check_template(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error)
{
	const char *id = node->email.template_id;
	bool found = true, subject = true;

	if (!id || !check->lookup->template_find)
		return true;
	if (!check->lookup->template_find(id, &found, &subject, check->lookup->context, error))
		return false;
	if (!found)
		automation_design_note(check, node->id,
		    "node \"%s\": template \"%s\" does not exist: create it, or name another in "
		    "data.templateId",
		    node->id, id);
	else if (!subject && !node->email.subject)
		automation_design_note(check, node->id,
		    "node \"%s\": template \"%s\" has no subject: give one in data.subject",
		    node->id, id);
	return true;
}

/* Checks that a published template exists, and that it or the node has a subject. *sender_r: it may
   have a sender. */
static bool
design_check_published(struct automation_design_checking *check,
    const struct automation_design_node *node, bool *sender_r, GError **error)
{
	const char *name = node->email.published;
	bool found = true, subject = true;

	*sender_r = name != NULL;
	if (!name || !check->lookup->published_find)
		return true;
	if (!check->lookup->published_find(
		name, &found, &subject, sender_r, check->lookup->context, error))
		return false;
	if (!found)
		automation_design_note(check, node->id,
		    "node \"%s\": there is no published template \"%s\": publish it, or name "
		    "another in data.template.id",
		    node->id, name);
	else if (!subject && !node->email.subject)
		automation_design_note(check, node->id,
		    "node \"%s\": template \"%s\" has no subject: give one in data.subject",
		    node->id, name);
	return true;
}

/* Returns the sender of a node's email; NULL when it is not checked. */
static struct mail_address *
design_check_sender_of(
    struct automation_design_checking *check, const struct automation_design_node *node)
{
	const char *from = node->email.from ? node->email.from : check->lookup->sender;

	return check->lookup->domain_find && from && *from ? mail_address_parse(from, NULL) : NULL;
}

/* Checks that the sender's domain is registered; looks for each domain once. */
static bool
design_check_domain(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error)
{
	AUTO(mail_address) address = design_check_sender_of(check, node);
	const char *name = address ? mail_address_domain(address) : NULL;
	bool found = true;

	if (!name || g_hash_table_contains(check->registered, name))
		return true;
	if (!check->lookup->domain_find(name, &found, check->lookup->context, error))
		return false;
	if (found) {
		g_hash_table_add(check->registered, g_strdup(name));
		return true;
	}
	automation_design_note(check, node->id,
	    "node \"%s\": the domain of its sender, %s, is not registered: register it, or name "
	    "another sender in data.from",
	    node->id, name);
	struct automation_design_fault *fault = check->faults->pdata[check->faults->len - 1];
	fault->of_sender = true;
	return true;
}

static bool
design_check_topic(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error)
{
	const char *id = node->email.topic_id;
	bool found = true;

	if (!id || !check->lookup->topic_find)
		return true;
	if (!check->lookup->topic_find(id, &found, check->lookup->context, error))
		return false;
	if (!found)
		automation_design_note(
		    check, node->id, "node \"%s\": data.topicId is not a topic", node->id);
	return true;
}

bool
automation_design_check_email(struct automation_design_checking *check,
    const struct automation_design_node *node, GError **error)
{
	bool own_sender;

	if (!design_check_published(check, node, &own_sender, error))
		return false;
	if (!node->email.from && !check->lookup->sender && !own_sender)
		automation_design_note(check, node->id,
		    "node \"%s\" has no sender: give data.from, or give the workspace a default "
		    "sender",
		    node->id);
	return design_check_template(check, node, error) &&
	       design_check_domain(check, node, error) && design_check_topic(check, node, error);
}
