/* SPDX-License-Identifier: MIT */
/* Has messages that came in read by child processes. */
#include "received/reader.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/received.h"
#include "json/strict.h"
#include "process/isolate.h"
#include "process/kept.h"
#include "received/message.h"
#include "service/service.h"

/* In front of a message that is given to the child of a reader, then the sender and a NUL: whether
   there is a sender. */
enum { NO_SENDER, HAS_SENDER };
#define RESULT_MOST (64 * LIMIT_MIB) /* of a message with all its limits, as JSON */
#define READER_WORKS 100
#define READER_IDLE_S 5

struct received_reader {
	struct process_kept *kept;
	const struct service *service;
};

/* The work of a child process that reads one message. */
struct reader_reading {
	const struct service *service;
	const struct received_reader_given *given;
};

/* Runs in the child. */
static GBytes *
reader_read_apart(void *context, GError **error)
{
	const struct reader_reading *reading = context;

	return service_confine(reading->service, 0, error)
		   ? received_message_parse(
			 reading->given->data, reading->given->size, reading->given->sender)
		   : NULL;
}

/* Runs in the child of a reader, once. */
static bool
reader_begin(void *context, GError **error)
{
	const struct received_reader *reader = context;

	return service_confine(reader->service, 0, error);
}

/* Runs in the child of a reader. */
static GBytes *
reader_work(const void *data, gsize size)
{
	const char *text = data, *sender = text + 1;
	gsize begin = strlen(sender) + 2;

	return received_message_parse(
	    text + begin, size - begin, *text == HAS_SENDER ? sender : NULL);
}

static const struct process_kept_kind reader_reading_kind = {
    .what = "The message could not be read",
    .begin = reader_begin,
    .work = reader_work,
    .ms = LIMIT_RECEIVED_PARSE_MS,
    .bytes = LIMIT_RECEIVED_PARSE_BYTES + 3 * LIMIT_RECEIVED_KEPT_BYTES,
    .result_most = RESULT_MOST,
    .works = READER_WORKS,
    .idle_s = READER_IDLE_S,
};

struct received_reader *
received_reader_new(const struct service *service)
{
	struct received_reader *reader = g_new0(struct received_reader, 1);

	reader->service = service;
	reader->kept = process_kept_new(&reader_reading_kind, reader);
	return reader;
}

void
received_reader_free(struct received_reader *reader)
{
	process_kept_free(reader->kept);
	g_free(reader);
}

static GBytes *
reader_read_by(
    struct received_reader *reader, const struct received_reader_given *given, GError **error)
{
	char has = given->sender ? HAS_SENDER : NO_SENDER;
	const char *sender = given->sender ? given->sender : "";
	const struct iovec parts[] = {{&has, sizeof(has)}, {(char *)sender, strlen(sender) + 1},
	    {(void *)given->data, given->size}};

	return process_kept_do(reader->kept, given->workspace, parts, G_N_ELEMENTS(parts), error);
}

static GBytes *
reader_read_alone(
    const struct service *service, const struct received_reader_given *given, GError **error)
{
	struct reader_reading reading = {service, given};
	const struct process_isolate apart = {
	    .what = "The message could not be read",
	    .work = reader_read_apart,
	    .context = &reading,
	    .ms = LIMIT_RECEIVED_PARSE_MS,
	    .cpu_s = LIMIT_RECEIVED_PARSE_MS / 1000,
	    .bytes = LIMIT_RECEIVED_PARSE_BYTES + 3 * given->size,
	    .finishes = true,
	};

	return process_isolate(&apart, error);
}

struct json *
received_reader_read(const struct service *service, struct received_reader *reader,
    const struct received_reader_given *given, GError **error)
{
	g_autoptr(GError) failure = NULL;
	g_autoptr(GBytes) result = reader && given->size <= LIMIT_RECEIVED_KEPT_BYTES
				       ? reader_read_by(reader, given, &failure)
				       : reader_read_alone(service, given, &failure);

	if (!result && g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY)) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return NULL;
	}
	if (!result)
		result = received_message_parse_plain(given->data, given->size, given->sender,
		    "The message takes too much time or memory to be read");
	return json_parse(g_bytes_get_data(result, NULL), g_bytes_get_size(result), error);
}
