/* SPDX-License-Identifier: MIT */
/* Takes and ends turns: locks on bytes of a file in the spool directory. */
#include "core/idempotency_turn.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/secret.h"
#include "config/settings.h"
#include "core/core.h"
#include "process/lock.h"
#include "store/idempotency.h"

struct core_idempotency_turn {
	int fd; /* -1: the file cannot be written */
};

static off_t
place_of(const struct store_idempotency *key)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	guint8 digest[SHA256_SIZE];
	guint64 place = 0;

	g_byte_array_append(bytes, key->workspace_id.bytes, (guint)sizeof(key->workspace_id.bytes));
	g_byte_array_append(bytes, (const guint8 *)key->name, (guint)strlen(key->name));
	base_secret_sha256(bytes->data, bytes->len, digest);
	memcpy(&place, digest, 5);
	return (off_t)place;
}

struct core_idempotency_turn *
core_idempotency_turn_take(struct core *core, const struct store_idempotency *key)
{
	g_autofree char *path = g_build_filename(
	    config_settings_text(core->settings, SETTING_SPOOL_DIR), "requests.turns", NULL);
	struct core_idempotency_turn *turn = g_new(struct core_idempotency_turn, 1);

	turn->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (turn->fd < 0 ||
	    process_lock_wait(turn->fd, place_of(key), LIMIT_IDEMPOTENCY_WAIT_S * 1000))
		return turn;
	core_idempotency_turn_end(turn);
	return NULL;
}

void
core_idempotency_turn_end(struct core_idempotency_turn *turn)
{
	if (turn->fd >= 0)
		close(turn->fd);
	g_free(turn);
}
