/* SPDX-License-Identifier: MIT */
/* The names of streams. */
#include "store/email/stream.h"

#include <string.h>

#include "base/error.h"

static const char *const stream_names[] = {[STREAM_TRANSACTIONAL] = "transactional",
    [STREAM_AUTOMATION] = "automation",
    [STREAM_BROADCAST] = "broadcast"};

const char *
store_stream_name(enum store_stream stream)
{
	return stream_names[stream];
}

enum store_stream
store_stream_find(const char *name)
{
	for (guint stream = 1; stream <= STORE_STREAMS; stream++)
		if (strcmp(stream_names[stream], name) == 0)
			return (enum store_stream)stream;
	return (enum store_stream)0;
}

bool
store_stream_read(const char *name, enum store_stream *stream_r, GError **error)
{
	*stream_r = name ? store_stream_find(name) : STREAM_TRANSACTIONAL;
	return *stream_r ||
	       base_invalid(error, "stream must be transactional, broadcast or automation");
}
