/* SPDX-License-Identifier: MIT */
/* Writes the lines of the log: to standard error, a file or syslog (RFC 5424), as text or JSON. */
#include "config/log_line.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "base/secret.h"
#include "config/settings.h"

#define FACILITY_MAIL 2
#define HASH_BYTES 8
#define MODE 0640

static struct {
	const struct config_settings *settings; /* NULL: not open */
	const char *program;
	int fd; /* of a file or syslog; -1: none, standard error gets the lines */
	char host[256];
	GMutex mutex; /* guards fd */
} sink = {.fd = -1};

static const char *const levels[] = {
    [LEVEL_ERROR] = "error", [LEVEL_WARNING] = "warning", [LEVEL_INFO] = "info"};

bool
config_log_line_is_visible(gunichar c)
{
	switch (g_unichar_type(c)) {
	case G_UNICODE_CONTROL:
	case G_UNICODE_FORMAT:
	case G_UNICODE_LINE_SEPARATOR:
	case G_UNICODE_PARAGRAPH_SEPARATOR:
		return false;
	default:
		return true;
	}
}

static const char *
target(void)
{
	return config_settings_text(sink.settings, SETTING_LOG_TO);
}

static bool
is_syslog(void)
{
	return strcmp(target(), "syslog") == 0;
}

static int
open_syslog(void)
{
	const char *path = config_settings_text(sink.settings, SETTING_LOG_SOCKET);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A new file gets its mode whatever the umask is. */
static int
log_line_open_file(void)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY;
	int fd = open(target(), flags | O_EXCL, MODE);

	if (fd < 0)
		return open(target(), flags, MODE);
	if (fchmod(fd, MODE) != 0)
		g_debug("log: the mode is not set");
	return fd;
}

static int
open_target(void)
{
	return is_syslog() ? open_syslog() : log_line_open_file();
}

/* Takes the target again; keeps the old one if that fails. */
static void
open_again(void)
{
	int fd = open_target();

	if (fd < 0)
		return;
	if (sink.fd >= 0)
		close(sink.fd);
	sink.fd = fd;
}

bool
config_log_line_open(const struct config_settings *settings, const char *program, GError **error)
{
	sigset_t hup;

	sink.settings = settings;
	sink.program = program;
	if (strcmp(target(), "stderr") == 0)
		return true;
	if (gethostname(sink.host, sizeof(sink.host) - 1) != 0 || !*sink.host)
		g_strlcpy(sink.host, "-", sizeof(sink.host));
	sigemptyset(&hup);
	sigaddset(&hup, SIGHUP);
	sigprocmask(SIG_BLOCK, &hup, NULL);
	sink.fd = open_target();
	if (sink.fd >= 0)
		return true;
	return base_fail(error, PH_ERROR_FAILED,
	    "the log cannot be written to %s: %s; standard error gets it",
	    is_syslog() ? config_settings_text(settings, SETTING_LOG_SOCKET) : target(),
	    g_strerror(errno));
}

bool
config_log_line_is_open(void)
{
	return sink.settings != NULL;
}

bool
config_log_line_is_elsewhere(void)
{
	return sink.fd >= 0;
}

static bool
take_hangup(void)
{
	const struct timespec now = {0};
	sigset_t hup;

	sigemptyset(&hup);
	sigaddset(&hup, SIGHUP);
	return sigtimedwait(&hup, NULL, &now) == SIGHUP;
}

void
config_log_line_reopen(void)
{
	if (sink.fd < 0)
		return;
	g_mutex_lock(&sink.mutex);
	if (take_hangup())
		open_again();
	g_mutex_unlock(&sink.mutex);
}

static bool
is_json(void)
{
	return config_settings_choice(sink.settings, SETTING_LOG_FORMAT) == FORMAT_JSON;
}

static void
begin_field(struct config_log_line *line, const char *name)
{
	if (!is_json())
		g_string_append_printf(line->text, "%s%s=", line->text->len > 0 ? " " : "", name);
	else
		g_string_append_printf(
		    line->text, "%s\"%s\":", line->text->len > 1 ? "," : "", name);
}

static bool
needs_quotes(const char *text)
{
	for (const char *p = text; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);

		if (c == '"' || c == '=' || g_unichar_isspace(c) || !config_log_line_is_visible(c))
			return true;
	}
	return !*text;
}

/* A character that is not visible: \u{a} in text; in JSON \u000a, or two of those. */
static void
append_code(GString *out, gunichar c)
{
	if (!is_json())
		g_string_append_printf(out, "\\u{%x}", c);
	else if (c < 0x10000)
		g_string_append_printf(out, "\\u%04x", c);
	else
		g_string_append_printf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
		    0xdc00 + ((c - 0x10000) & 0x3ff));
}

static void
log_line_append_quoted(GString *out, const char *text)
{
	g_string_append_c(out, '"');
	for (const char *p = text; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);

		if (c == '"' || c == '\\')
			g_string_append_c(g_string_append_c(out, '\\'), (char)c);
		else if (c == '\n')
			g_string_append(out, "\\n");
		else if (config_log_line_is_visible(c))
			g_string_append_unichar(out, c);
		else
			append_code(out, c);
	}
	g_string_append_c(out, '"');
}

void
config_log_line_text(struct config_log_line *line, const char *name, const char *text)
{
	if (!text)
		return;
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	begin_field(line, name);
	if (is_json() || needs_quotes(valid))
		log_line_append_quoted(line->text, valid);
	else
		g_string_append(line->text, valid);
}

void
config_log_line_number(struct config_log_line *line, const char *name, gint64 number)
{
	begin_field(line, name);
	g_string_append_printf(line->text, "%" G_GINT64_FORMAT, number);
}

void
config_log_line_id(struct config_log_line *line, const char *name, const struct base_id *id)
{
	char text[ID_TEXT_SIZE];

	config_log_line_text(line, name, base_id_format(id, text));
}

/* The address as it may be shown; NULL: not at all. The caller owns it. */
static char *
log_line_shown(const struct config_settings *settings, const char *address)
{
	guint8 tag[HASH_BYTES];
	int how = config_settings_choice(settings, SETTING_LOG_ADDRESSES);

	if (how != ADDRESSES_HASHED)
		return how == ADDRESSES_WHOLE ? g_strdup(address) : NULL;
	g_autofree char *folded = g_ascii_strdown(address, -1);
	base_secret_sign(config_settings_secret(settings), "log-address", folded, strlen(folded),
	    tag, sizeof(tag));
	GString *text = g_string_new("h:");
	for (gsize i = 0; i < sizeof(tag); i++)
		g_string_append_printf(text, "%02x", tag[i]);
	return g_string_free(text, FALSE);
}

void
config_log_line_address(struct config_log_line *line, const char *name, const char *address)
{
	g_autofree char *text = address ? log_line_shown(sink.settings, address) : NULL;

	config_log_line_text(line, name, text);
}

static bool
is_of_address(char c)
{
	return g_ascii_isalnum(c) || (c & 0x80) || (c && strchr("!#$%&'*+-/=?^_`{|}~.@", c));
}

char *
config_log_line_mask(const struct config_settings *settings, const char *text)
{
	GString *out = g_string_new(NULL);

	while (*text) {
		gsize length = 0;

		while (is_of_address(text[length]))
			length++;
		g_autofree char *word = g_strndup(text, length);
		g_autofree char *hidden =
		    strchr(word, '@') ? log_line_shown(settings, word) : g_strdup(word);
		g_string_append(out, hidden ? hidden : "-");
		text += length;
		if (*text)
			g_string_append_c(out, *text++);
	}
	return g_string_free(out, FALSE);
}

char *
config_log_line_hint(const struct config_settings *settings, const char *address)
{
	const char *at = strrchr(address, '@');

	if (config_settings_choice(settings, SETTING_LOG_ADDRESSES) == ADDRESSES_NONE || !at ||
	    at == address)
		return NULL;
	g_autofree char *first = g_utf8_substring(address, 0, 1);
	return g_strdup_printf("%s***%s", first, at);
}

void
config_log_line_masked(struct config_log_line *line, const char *name, const char *text, gsize most)
{
	if (!text)
		return;
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	g_autofree char *masked = config_log_line_mask(sink.settings, valid);
	const char *end;
	if (strlen(masked) > most) {
		masked[most] = '\0';
		g_utf8_validate(masked, -1, &end);
		masked[end - masked] = '\0';
	}
	config_log_line_text(line, name, masked);
}

bool
config_log_line_begin(
    struct config_log_line *line, enum config_setting_level level, const char *event)
{
	char time[CLOCK_ISO_SIZE];

	if (!sink.settings || (int)level > config_settings_choice(sink.settings, SETTING_LOG_LEVEL))
		return false;
	*line = (struct config_log_line){g_string_new(is_json() ? "{" : NULL), level, event};
	config_log_line_text(line, "time", base_clock_format(base_clock_now(), time));
	config_log_line_text(line, "level", levels[level]);
	config_log_line_text(line, "program", sink.program);
	config_log_line_number(line, "pid", getpid());
	config_log_line_text(line, "event", event);
	return true;
}

/* Puts the header of RFC 5424 in front. */
static void
add_header(struct config_log_line *line)
{
	static const int severities[] = {[LEVEL_ERROR] = 3, [LEVEL_WARNING] = 4, [LEVEL_INFO] = 6};
	char time[CLOCK_ISO_SIZE];
	g_autofree char *header = g_strdup_printf("<%d>1 %s %s %s %d %s - ",
	    FACILITY_MAIL * 8 + severities[line->level], base_clock_format(base_clock_now(), time),
	    sink.host, sink.program, (int)getpid(), line->event);

	g_string_prepend(line->text, header);
}

/* If a write fails, there is no other place to report that. A syslog that was started again has to
   be connected to again. */
static void
log_line_put(const GString *text)
{
	int fd = sink.fd >= 0 ? sink.fd : STDERR_FILENO;

	if (write(fd, text->str, text->len) >= 0 || fd == STDERR_FILENO || !is_syslog())
		return;
	open_again();
	if (write(sink.fd, text->str, text->len) < 0)
		return;
}

void
config_log_line_end(struct config_log_line *line)
{
	if (is_json())
		g_string_append_c(line->text, '}');
	if (sink.fd >= 0 && is_syslog())
		add_header(line);
	else
		g_string_append_c(line->text, '\n');
	config_log_line_reopen();
	g_mutex_lock(&sink.mutex);
	log_line_put(line->text);
	g_mutex_unlock(&sink.mutex);
	g_string_free(line->text, TRUE);
}
