# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/smtpd_test
TESTS += %D%/smtpd_test
%C%_smtpd_test_SOURCES = \
	%D%/dialogues.c \
	%D%/door.c %D%/door.h \
	%D%/fields.c \
	%D%/main.c \
	%D%/program.c \
	%D%/received.c \
	%D%/reports.c \
	%D%/submit.c
%C%_smtpd_test_LDFLAGS = $(KEPT_KEYS)
%C%_smtpd_test_LDADD = $(SUPPORT_LIBS) libsmtpd_room.a libintake.a libupkeep.a $(BROADCAST_LIBS)
endif
dist_check_SCRIPTS += %D%/clients.py %D%/exim.py
TESTS += %D%/clients.py %D%/exim.py
EXTRA_DIST += %D%/nodemailer/package.json %D%/nodemailer/package-lock.json %D%/nodemailer/send.mjs %D%/phpmailer.php
