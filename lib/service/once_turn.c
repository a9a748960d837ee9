/* SPDX-License-Identifier: MIT */
/* Takes and ends turns: locks on bytes of a file in the spool directory. */
#include "service/once_turn.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/limits/request.h"
#include "base/secret.h"
#include "config/settings.h"
#include "process/lock.h"
#include "service/service.h"
#include "store/workspace/idempotency.h"

struct service_once_turn {
	int fd; /* -1: the file cannot be written */
};

static off_t
once_turn_place_of(const struct store_idempotency *key)
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

struct service_once_turn *
service_once_turn_take(struct service *service, const struct store_idempotency *key)
{
	g_autofree char *path = g_build_filename(
	    config_settings_text(service->settings, SETTING_SPOOL_DIR), "requests.turns", NULL);
	struct service_once_turn *turn = g_new(struct service_once_turn, 1);

	turn->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (turn->fd < 0 ||
	    process_lock_wait(turn->fd, once_turn_place_of(key), LIMIT_IDEMPOTENCY_WAIT_S * 1000))
		return turn;
	service_once_turn_end(turn);
	return NULL;
}

void
service_once_turn_end(struct service_once_turn *turn)
{
	if (turn->fd >= 0)
		close(turn->fd);
	g_free(turn);
}
