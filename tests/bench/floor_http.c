/* SPDX-License-Identifier: MIT */
/* The least that an HTTP request can cost here: FastCGI alone, with one SELECT by primary key, or
   with one INSERT; the path says which. What make bench holds the service against, so it takes the
   options of posthouse.fcgi. Usage: floor_http SOCKET [--workers N] */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fcgiapp.h>
#include <mysql.h>

#define CONTENT 5000 /* bytes of a content */

enum { SELECT, INSERT, INSERT5K, OPERATIONS };
static const struct {
	const char *path, *sql;
} operations[OPERATIONS] = {
    [SELECT] = {"/select", "SELECT text FROM floor.row WHERE id = 1"},
    [INSERT] = {"/insert",
	"INSERT INTO floor.log (text) VALUES ('a row of about the size of a small event')"},
    [INSERT5K] = {"/insert5k", "INSERT INTO floor.content (bytes) VALUES (?)"},
};

static MYSQL *
floor_http_open_database(const char *socket)
{
	MYSQL *mysql = mysql_init(NULL);

	if (!mysql_real_connect(mysql, NULL, "root", NULL, "floor", 0, socket, 0)) {
		fprintf(stderr, "floor_http: %s\n", mysql_error(mysql));
		exit(1);
	}
	return mysql;
}

static MYSQL_STMT *
floor_http_prepare(MYSQL *mysql, const char *sql)
{
	MYSQL_STMT *statement = mysql_stmt_init(mysql);

	if (mysql_stmt_prepare(statement, sql, strlen(sql)) != 0) {
		fprintf(stderr, "floor_http: %s\n", mysql_stmt_error(statement));
		exit(1);
	}
	return statement;
}

/* Other bytes each time, in each process. */
static void
floor_http_fill(uint64_t *words, size_t count)
{
	static uint64_t state;

	if (state == 0)
		state = (uint64_t)time(NULL) << 32 | (uint64_t)getpid();
	for (size_t i = 0; i < count; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		words[i] = state;
	}
}

static bool
select_row(MYSQL_STMT *statement)
{
	char text[256];
	unsigned long length;
	MYSQL_BIND result = {.buffer_type = MYSQL_TYPE_STRING,
	    .buffer = text,
	    .buffer_length = sizeof(text),
	    .length = &length};

	return mysql_stmt_execute(statement) == 0 &&
	       mysql_stmt_bind_result(statement, &result) == 0 &&
	       mysql_stmt_store_result(statement) == 0 && mysql_stmt_fetch(statement) == 0 &&
	       mysql_stmt_free_result(statement) == 0;
}

static bool
insert_content(MYSQL_STMT *statement)
{
	uint64_t words[CONTENT / sizeof(uint64_t)];
	unsigned long length = sizeof(words);
	MYSQL_BIND value = {.buffer_type = MYSQL_TYPE_BLOB,
	    .buffer = words,
	    .buffer_length = sizeof(words),
	    .length = &length};

	floor_http_fill(words, CONTENT / sizeof(uint64_t));
	return mysql_stmt_bind_param(statement, &value) == 0 && mysql_stmt_execute(statement) == 0;
}

static bool
operate(MYSQL_STMT **statements, const char *path)
{
	if (strcmp(path, operations[SELECT].path) == 0)
		return select_row(statements[SELECT]);
	if (strcmp(path, operations[INSERT].path) == 0)
		return mysql_stmt_execute(statements[INSERT]) == 0;
	if (strcmp(path, operations[INSERT5K].path) == 0)
		return insert_content(statements[INSERT5K]);
	return true;
}

static int
floor_http_serve(const char *socket)
{
	MYSQL_STMT *statements[OPERATIONS];
	MYSQL *mysql = floor_http_open_database(socket);
	FCGX_Request request;

	for (int i = 0; i < OPERATIONS; i++)
		statements[i] = floor_http_prepare(mysql, operations[i].sql);
	FCGX_Init();
	FCGX_InitRequest(&request, 0, 0);
	while (FCGX_Accept_r(&request) >= 0) {
		const char *path = FCGX_GetParam("REQUEST_URI", request.envp);
		bool done = operate(statements, path ? path : "");

		FCGX_FPrintF(request.out,
		    "Status: %s\r\nContent-Type: application/json\r\n\r\n{\"message\":\"Hello, "
		    "world\"}\n",
		    done ? "200 OK" : "500 Internal Server Error");
		FCGX_Finish_r(&request);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc == 2)
		return floor_http_serve(argv[1]);
	if (argc != 4 || strcmp(argv[2], "--workers") != 0)
		return 64;
	for (int i = atoi(argv[3]); i > 0; i--)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGTERM);
			return floor_http_serve(argv[1]);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
