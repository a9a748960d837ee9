/* SPDX-License-Identifier: MIT */
/* Compresses pieces of some KiB with Zstandard (RFC 8878), and reads them back. */
#ifndef BASE_COMPRESS_H
#define BASE_COMPRESS_H

#include <glib.h>
#include <stdbool.h>

/* Appends one frame with a checksum to to: the size bytes at data, in little time and memory. */
void base_compress(GByteArray *to, const void *data, gsize size);

/* Reads a frame into data_r, which has room for size bytes. FAILED unless frame is one whole frame
   of exactly so many bytes, and its checksum is right; data_r may then have any bytes. */
bool base_decompress(const void *frame, gsize frame_size, void *data_r, gsize size, GError **error);

#endif
