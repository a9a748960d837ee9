/* SPDX-License-Identifier: MIT */
/* The least that an HTTP request can cost here: FastCGI alone, with one SELECT by primary key, or
   with one INSERT. make bench compares the service with it. Usage: floor_http hello|select|insert
   SOCKET WORKERS */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcgiapp.h>
#include <mysql.h>

static MYSQL_STMT *
prepare(const char *socket, const char *sql)
{
	MYSQL *mysql = mysql_init(NULL);

	if (!mysql_real_connect(mysql, NULL, "root", NULL, "floor", 0, socket, 0)) {
		fprintf(stderr, "floor_http: %s\n", mysql_error(mysql));
		exit(1);
	}
	MYSQL_STMT *statement = mysql_stmt_init(mysql);
	if (mysql_stmt_prepare(statement, sql, strlen(sql)) != 0) {
		fprintf(stderr, "floor_http: %s\n", mysql_stmt_error(statement));
		exit(1);
	}
	return statement;
}

static bool
execute(MYSQL_STMT *statement, bool rows)
{
	char text[256];
	unsigned long length;
	MYSQL_BIND result = {.buffer_type = MYSQL_TYPE_STRING,
	    .buffer = text,
	    .buffer_length = sizeof(text),
	    .length = &length};

	if (mysql_stmt_execute(statement) != 0)
		return false;
	if (!rows)
		return true;
	return mysql_stmt_bind_result(statement, &result) == 0 &&
	       mysql_stmt_store_result(statement) == 0 && mysql_stmt_fetch(statement) == 0 &&
	       mysql_stmt_free_result(statement) == 0;
}

static int
serve(const char *mode, const char *socket)
{
	MYSQL_STMT *statement = NULL;
	FCGX_Request request;

	if (strcmp(mode, "select") == 0)
		statement = prepare(socket, "SELECT text FROM floor.row WHERE id = 1");
	else if (strcmp(mode, "insert") == 0)
		statement = prepare(socket, "INSERT INTO floor.log (text) VALUES ('a row of about "
					    "the size of a small event')");
	FCGX_Init();
	FCGX_InitRequest(&request, 0, 0);
	while (FCGX_Accept_r(&request) >= 0) {
		bool done = !statement || execute(statement, mode[0] == 's');

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
	if (argc != 4)
		return 64;
	for (int i = atoi(argv[3]); i > 0; i--)
		if (fork() == 0)
			return serve(argv[1], argv[2]);
	while (wait(NULL) > 0)
		;
	return 0;
}
