/* SPDX-License-Identifier: MIT */
/* Knows the header fields that steer providers, and takes them out of messages. */
#include "mail/steering.h"

#include <string.h>

static const char *const names[] = {
    "X-SMTPAPI",	      /* SendGrid */
    "X-xsMailingId",	      /* SocketLabs */
    "X-xsMessageId",	      /* SocketLabs */
    "Resend-Idempotency-Key", /* Resend */
};

static const char *const families[] = {
    "X-SES-",	       /* Amazon SES */
    "X-Mailgun-",      /* Mailgun */
    "X-PM-",	       /* Postmark */
    "X-Mailin-",       /* Brevo */
    "X-Sib-",	       /* Brevo */
    "X-MC-",	       /* Mandrill */
    "X-MSYS-",	       /* SparkPost */
    "X-MJ-",	       /* Mailjet */
    "X-Mailjet-",      /* Mailjet */
    "X-ElasticEmail-", /* Elastic Email */
    "X-MailerSend-",   /* MailerSend */
    "X-MT-",	       /* Mailtrap */
    "X-Postal-",       /* Postal */
};

bool
mail_steering_has(const char *name, gsize size)
{
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		if (size == strlen(names[i]) && g_ascii_strncasecmp(name, names[i], size) == 0)
			return true;
	for (gsize i = 0; i < G_N_ELEMENTS(families); i++) {
		gsize length = strlen(families[i]);

		if (size >= length && g_ascii_strncasecmp(name, families[i], length) == 0)
			return true;
	}
	return false;
}

/* The length of the field's name that begins here. White space may follow it (RFC 5322 section
   4.5). */
static gsize
steering_name_size(const char *line, gsize size)
{
	gsize length = 0;

	while (length < size && line[length] > ' ' && line[length] != ':')
		length++;
	return length;
}

/* Whether a field of this name is among complete lines. */
static bool
steering_is_among(const char *lines, const char *name, gsize size)
{
	for (const char *line = lines; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (steering_name_size(line, strlen(line)) == size &&
		    g_ascii_strncasecmp(line, name, size) == 0)
			return size > 0;
	}
	return false;
}

/* The end of the line that begins here. */
static const char *
line_end(const char *line, const char *end)
{
	const char *feed = memchr(line, '\n', (gsize)(end - line));

	return feed ? feed + 1 : end;
}

/* The end of the field that begins here, with the lines that it is folded into. */
static const char *
field_end(const char *field, const char *end)
{
	do
		field = line_end(field, end);
	while (field < end && (*field == ' ' || *field == '\t'));
	return field;
}

GBytes *
mail_steering_remove(GBytes *message, const char *own, bool allowed)
{
	gsize size;
	const char *text = g_bytes_get_data(message, &size), *end = text + size, *kept = text,
		   *next;
	GByteArray *out = NULL;

	for (const char *field = text; field < end && *field != '\r' && *field != '\n';
	     field = next) {
		gsize length = steering_name_size(field, (gsize)(end - field));

		next = field_end(field, end);
		if ((allowed || !mail_steering_has(field, length)) &&
		    !steering_is_among(own, field, length))
			continue;
		if (!out)
			out = g_byte_array_sized_new((guint)size);
		g_byte_array_append(out, (const guint8 *)kept, (guint)(field - kept));
		kept = next;
	}
	if (!out)
		return g_bytes_ref(message);
	g_byte_array_append(out, (const guint8 *)kept, (guint)(end - kept));
	return g_byte_array_free_to_bytes(out);
}
