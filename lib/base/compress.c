/* SPDX-License-Identifier: MIT */
/* Compresses with libzstd. */
#include "base/compress.h"

#include <zstd.h>

#include "base/error.h"

/* Level 1, but also looking for long matches, since the text of an email repeats much of its html.
   The tables are small: each process keeps them. */
static const struct {
	ZSTD_cParameter name;
	int value;
} parameters[] = {
    {ZSTD_c_compressionLevel, 1},
    {ZSTD_c_strategy, ZSTD_dfast},
    {ZSTD_c_minMatch, 5},
    {ZSTD_c_hashLog, 12},
    {ZSTD_c_chainLog, 12},
    {ZSTD_c_checksumFlag, 1},
};

static void
free_writer(gpointer context)
{
	ZSTD_freeCCtx(context);
}

static void
compress_free_reader(gpointer context)
{
	ZSTD_freeDCtx(context);
}

/* The contexts of a thread: to make one takes as long as to compress some KiB. */
static GPrivate writer = G_PRIVATE_INIT(free_writer);
static GPrivate reader = G_PRIVATE_INIT(compress_free_reader);

static ZSTD_CCtx *
take_writer(void)
{
	ZSTD_CCtx *context = g_private_get(&writer);

	if (context)
		return context;
	context = ZSTD_createCCtx();
	if (!context)
		g_error("libzstd gives no context");
	for (guint i = 0; i < G_N_ELEMENTS(parameters); i++) {
		gsize code =
		    ZSTD_CCtx_setParameter(context, parameters[i].name, parameters[i].value);
		if (ZSTD_isError(code))
			g_error("libzstd takes no parameter: %s", ZSTD_getErrorName(code));
	}
	g_private_set(&writer, context);
	return context;
}

static ZSTD_DCtx *
take_reader(void)
{
	ZSTD_DCtx *context = g_private_get(&reader);

	if (context)
		return context;
	context = ZSTD_createDCtx();
	if (!context)
		g_error("libzstd gives no context");
	g_private_set(&reader, context);
	return context;
}

void
base_compress(GByteArray *to, const void *data, gsize size)
{
	gsize room = ZSTD_compressBound(size);
	guint begin = to->len;

	g_byte_array_set_size(to, begin + (guint)room);
	gsize used = ZSTD_compress2(take_writer(), to->data + begin, room, data, size);
	if (ZSTD_isError(used))
		g_error("libzstd cannot compress: %s", ZSTD_getErrorName(used));
	g_byte_array_set_size(to, begin + (guint)used);
}

bool
base_decompress(const void *frame, gsize frame_size, void *data_r, gsize size, GError **error)
{
	gsize got = ZSTD_decompressDCtx(take_reader(), data_r, size, frame, frame_size);

	if (ZSTD_isError(got))
		return base_fail(error, PH_ERROR_FAILED, "compressed bytes cannot be read: %s",
		    ZSTD_getErrorName(got));
	return got == size ||
	       base_fail(error, PH_ERROR_FAILED,
		   "compressed bytes are %" G_GSIZE_FORMAT ", and should be %" G_GSIZE_FORMAT, got,
		   size);
}
