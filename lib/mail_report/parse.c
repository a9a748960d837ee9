/* SPDX-License-Identifier: MIT */
/* Reads reports: the machine-readable parts, and the message that came back. */

#include <string.h>

#include "base/limits/report.h"
#include "html/textpart.h"
#include "mail/part.h"
#include "mail_report/report.h"

/* The action that a word says; servers know more words than RFC 3464. A comment may follow. */
static enum mail_report_action
parse_read_action(const char *text)
{
	static const struct {
		const char *begin;
		enum mail_report_action action;
	} words[] = {
	    {"fail", MAIL_REPORT_FAILED},
	    {"error", MAIL_REPORT_FAILED},
	    {"reject", MAIL_REPORT_FAILED},
	    {"refuse", MAIL_REPORT_FAILED},
	    {"bounce", MAIL_REPORT_FAILED},
	    {"undeliver", MAIL_REPORT_FAILED},
	    {"expire", MAIL_REPORT_FAILED},
	    {"permanent", MAIL_REPORT_FAILED},
	    {"delay", MAIL_REPORT_DELAYED},
	    {"defer", MAIL_REPORT_DELAYED},
	    {"delivered", MAIL_REPORT_DELIVERED},
	    {"relayed", MAIL_REPORT_RELAYED},
	    {"expanded", MAIL_REPORT_EXPANDED},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
		if (g_ascii_strncasecmp(text, words[i].begin, strlen(words[i].begin)) == 0)
			return words[i].action;
	return MAIL_REPORT_UNKNOWN;
}

/* The action for a status or a reply, for servers that leave the action out. */
static enum mail_report_action
action_of_code(const char *code)
{
	switch (*code) {
	case '2':
		return MAIL_REPORT_DELIVERED;
	case '4':
		return MAIL_REPORT_DELAYED;
	case '5':
		return MAIL_REPORT_FAILED;
	default:
		return MAIL_REPORT_UNKNOWN;
	}
}

/* The address in the first of these fields that holds one. */
static char *
parse_read_address(const struct mail_slice *group, const char *const *names)
{
	for (; *names; names++) {
		g_autofree char *value = mail_part_field(group, *names);
		char *address = value ? mail_report_address(value) : NULL;

		if (address)
			return address;
	}
	return NULL;
}

/* The text behind "smtp;". */
static const char *
diagnostic_of(const char *field)
{
	gsize type =
	    strspn(field, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
	const char *rest = field + type + strspn(field + type, " \t");

	return type > 0 && *rest == ';' ? rest + 1 : field;
}

/* The statements of one group of fields. */
struct group {
	bool names;  /* it has a field for a recipient */
	char *final; /* NULL: it names no address, but perhaps a file or a program */
	char *original, *diagnostic, *status_field;
	enum mail_report_action action;
	char status[12];
};

static void
group_clear(struct group *group)
{
	g_free(group->original);
	g_free(group->final);
	g_free(group->diagnostic);
	g_free(group->status_field);
}

static bool
has_field(const struct mail_slice *fields, const char *name)
{
	g_autofree char *value = mail_part_field(fields, name);

	return value;
}

static void
group_read(const struct mail_slice *fields, struct group *group_r)
{
	static const char *const originals[] = {"Original-Recipient", NULL};
	static const char *const finals[] = {"Final-Recipient", "X-Actual-Recipient", NULL};
	g_autofree char *action = mail_part_field(fields, "Action");

	*group_r = (struct group){
	    .names = has_field(fields, "Final-Recipient") ||
		     has_field(fields, "Original-Recipient") ||
		     has_field(fields, "X-Actual-Recipient"),
	    .original = parse_read_address(fields, originals),
	    .final = parse_read_address(fields, finals),
	    .diagnostic = mail_part_field(fields, "Diagnostic-Code"),
	    .status_field = mail_part_field(fields, "Status"),
	    .action = action ? parse_read_action(action) : MAIL_REPORT_UNKNOWN,
	};
	if (group_r->status_field)
		mail_report_failure_read_status(group_r->status_field, group_r->status);
}

/* Adds the recipient of a group. action: that of a group in front of it, for one that has none. */
static void
parse_add_group(struct mail_report *report, struct group *group, enum mail_report_action before)
{
	enum mail_report_action action = group->action ? group->action : before;
	const char *said = group->diagnostic ? diagnostic_of(group->diagnostic) : NULL;

	if (action == MAIL_REPORT_UNKNOWN)
		action = action_of_code(group->status);
	if (action == MAIL_REPORT_UNKNOWN && group->status_field)
		action = action_of_code(group->status_field);
	if (action == MAIL_REPORT_UNKNOWN && said)
		action = action_of_code(said + strspn(said, " \t"));
	if (action == MAIL_REPORT_UNKNOWN)
		return;
	struct mail_report_recipient *recipient = mail_report_add(
	    report, g_steal_pointer(&group->original), g_steal_pointer(&group->final), action);
	if (!recipient)
		return;
	g_strlcpy(recipient->status, group->status, sizeof(recipient->status));
	/* Some servers put a reply there, or a reason in a comment. */
	if (!said && group->status_field && (!*group->status || strchr(group->status_field, '(')))
		said = group->status_field;
	if (said && !recipient->diagnostic)
		mail_report_say(recipient, said);
}

/* The next group of fields: those up to an empty line. */
static bool
parse_next_group(struct mail_slice *rest, struct mail_slice *group_r)
{
	struct mail_slice line;

	while (rest->size > 0 && *rest->text == '\n')
		mail_part_line(rest, &line);
	*group_r = (struct mail_slice){rest->text, 0};
	while (mail_part_line(rest, &line) && line.size > 0 && strspn(line.text, " \t") < line.size)
		group_r->size = (gsize)(rest->text - group_r->text);
	return group_r->size > 0;
}

/* Adds the statements of a decoded message/delivery-status (RFC 3464 section 2). A group without a
   recipient is about the message; only where no group has one is it about its recipient. */
static void
read_delivery(struct mail_report *report, struct mail_slice content)
{
	enum mail_report_action action = MAIL_REPORT_UNKNOWN;
	struct group whole = {.names = false};
	struct mail_slice fields;

	while (parse_next_group(&content, &fields)) {
		struct group group;

		if (!report->envid)
			report->envid = mail_part_field(&fields, "Original-Envelope-Id");
		group_read(&fields, &group);
		if (group.names) {
			parse_add_group(report, &group, action);
		} else if (group.action || *group.status || group.diagnostic) {
			action = group.action ? group.action : action;
			group_clear(&whole);
			whole = group;
			continue;
		}
		group_clear(&group);
	}
	if (report->recipients->len == 0)
		parse_add_group(report, &whole, MAIL_REPORT_UNKNOWN);
	group_clear(&whole);
}

static void
parse_add_name(GPtrArray *names, char *name)
{
	if (name && *name && names->len < LIMIT_REPORT_NAMES)
		g_ptr_array_add(names, name);
	else
		g_free(name);
}

/* Adds each <...> of a field. */
static void
add_ids(GPtrArray *ids, const char *value)
{
	const char *end;

	for (const char *p = value; (p = strchr(p, '<')) && (end = strchr(p, '>')); p = end)
		parse_add_name(ids, g_strndup(p + 1, (gsize)(end - p) - 1));
}

/* Whether an address names nobody: providers put such ones in place of the recipient's. */
static bool
parse_is_redacted(const char *address)
{
	static const char *const words[] = {
	    "redacted", "anonymous", "undisclosed", "unknown", "hidden", NULL};
	const char *at = strrchr(address, '@');
	g_autofree char *local = g_ascii_strdown(address, at ? at - address : -1);
	g_autofree char *domain = g_ascii_strdown(at ? at + 1 : "", -1);

	return !at || g_strv_contains(words, local) || strspn(local, "*x-") == strlen(local) ||
	       strcmp(domain, "invalid") == 0 || g_str_has_suffix(domain, ".invalid");
}

static bool
read_feedback_field(const char *name, const char *value, void *context)
{
	struct mail_report *report = context;

	if (g_ascii_strcasecmp(name, "Feedback-Type") == 0 && !report->feedback) {
		report->feedback = g_ascii_strdown(value, (gssize)strcspn(value, " \t;("));
	} else if (g_ascii_strcasecmp(name, "Original-Envelope-Id") == 0 && !report->envid) {
		report->envid = g_strdup(value);
	} else if (g_ascii_strcasecmp(name, "Original-Mail-From") == 0) {
		parse_add_name(report->paths, g_strdup(value));
	} else if (g_ascii_strcasecmp(name, "Original-Rcpt-To") == 0 ||
		   g_ascii_strcasecmp(name, "Removal-Recipient") == 0) {
		g_autofree char *address = mail_report_address(value);

		if (address && !parse_is_redacted(address))
			mail_report_add(
			    report, g_steal_pointer(&address), NULL, MAIL_REPORT_UNKNOWN);
	}
	return true;
}

/* Adds the statements of a decoded message/feedback-report (RFC 5965 section 3). */
static void
parse_read_feedback(struct mail_report *report, struct mail_slice content)
{
	mail_part_fields(&content, read_feedback_field, report);
}

/* Adds the addresses of a list with names; skips anything else. */
static void
parse_add_addresses(GPtrArray *addresses, const char *list)
{
	g_auto(GStrv) elements = g_strsplit(list, ",", 4 * LIMIT_REPORT_NAMES);

	for (char **element = elements; *element; element++) {
		const char *bracket = strrchr(*element, '<');

		parse_add_name(
		    addresses, mail_report_address(bracket ? bracket : g_strstrip(*element)));
	}
}

static bool
read_returned_field(const char *name, const char *value, void *context)
{
	struct mail_report *report = context;

	if (g_ascii_strcasecmp(name, "Message-ID") == 0) {
		add_ids(report->message_ids, value);
	} else if (g_ascii_strcasecmp(name, "Return-Path") == 0) {
		parse_add_name(report->paths, g_strdup(value));
	} else if (g_ascii_strcasecmp(name, "To") == 0 || g_ascii_strcasecmp(name, "Cc") == 0) {
		parse_add_addresses(report->addressees, value);
	} else if (g_ascii_strcasecmp(name, "X-HmXmrOriginalRecipient") == 0 && !report->junk) {
		report->junk = mail_report_address(value);
	} else if (g_ascii_strcasecmp(name, "List-Unsubscribe") == 0) {
		parse_add_name(report->lists, g_strdup(value));
	}
	return true;
}

/* A token for complaints counts in a returned message that is a part of the report alone. */
static bool
read_feedback_id(const char *name, const char *value, void *context)
{
	struct mail_report *report = context;

	if (g_ascii_strcasecmp(name, "CFBL-Feedback-ID") == 0)
		parse_add_name(report->feedback_ids, g_strstrip(g_strdup(value)));
	return true;
}

/* Adds the statements of the returned message's header. */
static void
read_returned(struct mail_report *report, const struct mail_slice *header)
{
	mail_part_fields(header, read_returned_field, report);
}

static bool
read_own_field(const char *name, const char *value, void *context)
{
	static const char *const paths[] = {
	    "Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To", "To"};
	static const char *const answers[] = {
	    "In-Reply-To", "References", "X-Original-Message-ID", "Original-Message-ID"};
	struct mail_report *report = context;

	for (guint i = 0; i < G_N_ELEMENTS(paths); i++)
		if (g_ascii_strcasecmp(name, paths[i]) == 0)
			parse_add_name(report->paths, g_strdup(value));
	for (guint i = 0; i < G_N_ELEMENTS(answers); i++)
		if (g_ascii_strcasecmp(name, answers[i]) == 0)
			add_ids(report->message_ids, value);
	return true;
}

/* Adds the statements of the report's own header: its recipient, and the message that it
   answers. */
static void
parse_read_own(struct mail_report *report, const struct mail_slice *header)
{
	mail_part_fields(header, read_own_field, report);
}

/* Outlook.com's complaints may be the message itself, which then has the complainer in its
   header. */
static bool
read_own_complaint(struct mail_report *report, const struct mail_slice *header)
{
	g_autofree char *complainer = mail_part_field(header, "X-HmXmrOriginalRecipient");

	if (complainer && !report->junk)
		read_returned(report, header);
	return complainer;
}

/* Outlook.com's complaints of today name nobody; their subject shows what they are. */
static bool
is_nameless_complaint(const struct mail_slice *header)
{
	g_autofree char *subject = mail_part_field(header, "Subject");

	return subject && g_ascii_strncasecmp(subject, "complaint about message from",
			      strlen("complaint about message from")) == 0;
}

/* The parts of the message that were found so far. */
struct sorting {
	struct mail_report *report;
	char *text, *html; /* the first of each */
	char *disposition; /* of a message/disposition-notification (RFC 8098), or NULL */
	bool status, feedback, returned;
};

static bool
parse_is_one_of(const char *type, const char *const *types)
{
	return g_strv_contains(types, type);
}

static bool
parse_is_blank(const char *text)
{
	return !text || strspn(text, " \t\n") == strlen(text);
}

static void
sort_leaf(const struct mail_part *part, const char *type, void *context)
{
	static const char *const statuses[] = {"message/delivery-status",
	    "message/global-delivery-status", "message/xdelivery-status",
	    "message/x-delivery-status", NULL};
	static const char *const messages[] = {"message/rfc822", "message/global",
	    "message/rfc822-headers", "message/rfc822-header", "text/rfc822-headers",
	    "text/rfc822-header", "text/rfc822", "message/global-headers", NULL};
	struct sorting *sorting = context;
	/* Only the first part that shows the kind of the report counts. */
	bool open = !sorting->status && !sorting->feedback;
	bool status = open && parse_is_one_of(type, statuses);
	bool feedback = open && strcmp(type, "message/feedback-report") == 0;
	bool returned = parse_is_one_of(type, messages) && !sorting->returned;

	if (status || feedback || returned) {
		gsize size;
		g_autofree char *content = mail_part_decode(part, &size);
		struct mail_part message = mail_part_split(content, size);

		if (status)
			read_delivery(sorting->report, (struct mail_slice){content, size});
		else if (feedback)
			parse_read_feedback(sorting->report, (struct mail_slice){content, size});
		else {
			read_returned(sorting->report, &message.header);
			mail_part_fields(&message.header, read_feedback_id, sorting->report);
		}
		sorting->status |= status;
		sorting->feedback |= feedback;
		sorting->returned |= returned;
	} else if (strcmp(type, "message/disposition-notification") == 0) {
		gsize size;

		if (!sorting->disposition)
			sorting->disposition = mail_part_decode(part, &size);
	} else if (strcmp(type, "text/plain") == 0 && parse_is_blank(sorting->text)) {
		g_free(sorting->text);
		sorting->text = mail_part_decode_text(part);
	} else if (strcmp(type, "text/html") == 0 && !sorting->html) {
		sorting->html = mail_part_decode_text(part);
	}
}

static const char *
parse_text_of(struct sorting *sorting)
{
	if (parse_is_blank(sorting->text) && sorting->html) {
		g_free(sorting->text);
		sorting->text = html_textpart_from_html(sorting->html, strlen(sorting->html));
	}
	return sorting->text;
}

/* Reads the fields of a report whose MIME type was lost: they stand in the text. */
static bool
read_lost_fields(struct mail_report *report, const struct mail_slice *header, const char *text)
{
	g_autofree char *lower = g_ascii_strdown(text, -1);
	const char *field = strstr(lower, "\nfinal-recipient:");
	const char *at = field ? text + (field - lower) : NULL;
	struct mail_slice returned;

	if (!at || !mail_report_is_automatic(header))
		return false;
	while (at > text && !(at[0] == '\n' && at[-1] == '\n'))
		at--;
	read_delivery(report, (struct mail_slice){at, strlen(at)});
	mail_report_cut_copy(at, &returned);
	if (returned.size > 0) {
		struct mail_part message = mail_part_split(returned.text, returned.size);

		read_returned(report, &message.header);
	}
	if (report->recipients->len == 0)
		return false;
	report->kind = MAIL_REPORT_DELIVERY;
	report->format = "RFC 3464";
	return true;
}

static bool
lacks_words(const struct mail_report_recipient *recipient)
{
	return !recipient->diagnostic && (recipient->action == MAIL_REPORT_FAILED ||
					     recipient->action == MAIL_REPORT_DELAYED);
}

/* Gives the only recipient the words of the text, where the fields beside it say nothing. */
static void
complete_only(struct sorting *sorting, const struct mail_slice *header)
{
	struct mail_report *report = sorting->report;
	const struct mail_report_recipient *only = report->recipients->pdata[0];
	struct mail_slice returned;

	if (report->recipients->len == 1 && lacks_words(only) &&
	    mail_report_failure_is_vague(only->status))
		mail_report_read_general(report, header, sorting->text, &returned);
}

/* Gives each of several recipients the words of the line that begins with its address, where the
   fields say nothing: OpenSMTPD lists "ADDRESS: REPLY" in the text, and each Status is 5.0.0. */
static void
complete_by_lines(struct sorting *sorting)
{
	const GPtrArray *recipients = sorting->report->recipients;
	struct mail_slice rest = {sorting->text, strlen(sorting->text)}, line;

	while (recipients->len > 1 && mail_part_line(&rest, &line)) {
		g_autofree char *own = g_strndup(line.text, line.size);
		const char *words;
		g_autofree char *address = mail_report_leading_address(own, &words);

		for (guint i = 0; address && *words && i < recipients->len; i++) {
			struct mail_report_recipient *recipient = recipients->pdata[i];

			if (lacks_words(recipient) &&
			    mail_report_failure_is_vague(recipient->status) && recipient->final &&
			    g_ascii_strcasecmp(recipient->final, address) == 0)
				mail_report_say(recipient, words);
		}
	}
}

static void
read_words(struct sorting *sorting, const struct mail_slice *header)
{
	struct mail_report *report = sorting->report;
	struct mail_slice returned, copy;

	if (!parse_text_of(sorting))
		return;
	if (read_lost_fields(report, header, sorting->text)) {
		complete_only(sorting, header);
		return;
	}
	mail_report_read_text(report, header, sorting->text, &returned);
	mail_report_read_general(report, header, sorting->text, &copy);
	if (returned.size == 0)
		returned = copy;
	if (sorting->returned || returned.size == 0)
		return;
	struct mail_part message = mail_part_split(returned.text, returned.size);
	read_returned(report, &message.header);
}

static const struct mail_report_recipient *
find_final(const struct mail_report *report, const struct mail_report_recipient *wanted)
{
	for (guint i = 0; wanted->final && i < report->recipients->len; i++) {
		const struct mail_report_recipient *recipient = report->recipients->pdata[i];

		if (recipient->final && recipient->action == wanted->action &&
		    g_ascii_strcasecmp(recipient->final, wanted->final) == 0)
			return recipient;
	}
	return NULL;
}

/* Takes missing diagnostics from the text beside the fields (Exim gives no Diagnostic-Code for
   its own refusals), and the command that was answered. */
static void
add_words(struct sorting *sorting, const struct mail_slice *header)
{
	const GPtrArray *recipients = sorting->report->recipients;
	AUTO(mail_report) words = NULL;
	struct mail_slice returned;

	for (guint i = 0; i < recipients->len; i++) {
		struct mail_report_recipient *recipient = recipients->pdata[i];

		if (!parse_text_of(sorting))
			return;
		if (!words) {
			words = mail_report_new();
			mail_report_read_text(words, header, sorting->text, &returned);
		}
		const struct mail_report_recipient *found = find_final(words, recipient);
		if (found && found->diagnostic && lacks_words(recipient))
			mail_report_say(recipient, found->diagnostic);
		if (found && found->diagnostic)
			recipient->stage = mail_report_stage(found->diagnostic);
		else if (recipients->len == 1)
			recipient->stage = mail_report_stage(sorting->text);
	}
	if (parse_text_of(sorting)) {
		complete_by_lines(sorting);
		complete_only(sorting, header);
	}
}

/* Whether the message is a rejection in the form of a receipt (RFC 5429 section 2.2.1), not the
   receipt of a reader. */
static bool
is_rejection(const struct sorting *sorting, const struct mail_slice *header)
{
	g_autofree char *automatic = mail_part_field(header, "Auto-Submitted");
	const struct mail_slice fields = {
	    sorting->disposition, sorting->disposition ? strlen(sorting->disposition) : 0};
	g_autofree char *disposition =
	    sorting->disposition ? mail_part_field(&fields, "Disposition") : NULL;

	return disposition && automatic && strstr(automatic, "rejected") &&
	       g_str_has_prefix(disposition, "automatic-action/MDN-sent-automatically");
}

/* Adds what the fields of a rejection say of its recipient. */
static void
read_rejection(struct sorting *sorting, const struct mail_slice *header)
{
	static const char *const originals[] = {"Original-Recipient", NULL};
	static const char *const finals[] = {"Final-Recipient", NULL};
	const struct mail_slice fields = {sorting->disposition, strlen(sorting->disposition)};
	g_autofree char *id = mail_part_field(&fields, "Original-Message-ID");
	struct mail_report *report = sorting->report;
	struct mail_slice returned;

	mail_report_add(report, parse_read_address(&fields, originals),
	    parse_read_address(&fields, finals), MAIL_REPORT_FAILED);
	report->kind = MAIL_REPORT_DELIVERY;
	report->format = "RFC 5429";
	if (id)
		add_ids(report->message_ids, id);
	if (parse_text_of(sorting))
		mail_report_read_general(report, header, sorting->text, &returned);
}

static void
judge_kind(struct sorting *sorting, const struct mail_slice *header)
{
	struct mail_report *report = sorting->report;

	if (sorting->feedback) {
		report->kind = MAIL_REPORT_COMPLAINT;
		report->format = "ARF";
		return;
	}
	if (report->recipients->len > 0) {
		report->kind = MAIL_REPORT_DELIVERY;
		report->format = "RFC 3464";
		add_words(sorting, header);
		return;
	}
	if (read_own_complaint(report, header) || report->junk ||
	    (sorting->returned && is_nameless_complaint(header))) {
		report->kind = MAIL_REPORT_COMPLAINT;
		report->format = "JMRP";
		if (report->junk && !parse_is_redacted(report->junk))
			mail_report_add(report, g_strdup(report->junk), NULL, MAIL_REPORT_UNKNOWN);
	} else if (is_rejection(sorting, header)) {
		read_rejection(sorting, header);
	} else if (!sorting->disposition) {
		read_words(sorting, header);
	}
}

/* Decides the kind of the report from its parts; text counts only where no part tells. */
static void
parse_judge(struct sorting *sorting, const struct mail_slice *header)
{
	const GPtrArray *recipients = sorting->report->recipients;

	judge_kind(sorting, header);
	for (guint i = 0; i < recipients->len; i++)
		mail_report_conclude(recipients->pdata[i]);
}

/* The size of empty lines in front of a header. */
static gsize
blank_lines(const char *text)
{
	gsize size = strspn(text, " \t\n");
	gsize name = strcspn(text + size, ": \t\n");

	return size > 0 && text[size - 1] == '\n' && name > 0 && text[size + name] == ':' ? size
											  : 0;
}

struct mail_report *
mail_report_parse(const void *message, gsize size)
{
	struct mail_report *report = mail_report_new();
	struct sorting sorting = {.report = report};
	gsize length;
	g_autofree char *text = mail_part_text(message, MIN(size, LIMIT_REPORT_BYTES), &length);
	gsize blank = blank_lines(text);
	struct mail_part whole = mail_part_split(text + blank, length - blank);

	base_secret_sha256(whole.body.text, whole.body.size, report->digest);
	mail_part_walk(&whole, sort_leaf, &sorting);
	/* The boundary may have been lost. */
	if (parse_is_blank(sorting.text) && parse_is_blank(sorting.html) && !sorting.returned &&
	    !sorting.status && !sorting.feedback && !sorting.disposition) {
		g_free(sorting.text);
		sorting.text = mail_part_decode_text(&whole);
	}
	parse_judge(&sorting, &whole.header);
	parse_read_own(report, &whole.header);
	g_free(sorting.text);
	g_free(sorting.html);
	g_free(sorting.disposition);
	return report;
}
