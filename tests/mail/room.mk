# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/mail_test
TESTS += %D%/mail_test
%C%_mail_test_SOURCES = \
	%D%/address.c \
	%D%/canonical.c \
	%D%/cid.c \
	%D%/dkim.c \
	%D%/dkim_key.c \
	%D%/encoding.c \
	%D%/failure.c \
	%D%/field.c \
	%D%/flow.c \
	%D%/header.c \
	%D%/html.c \
	%D%/links.c \
	%D%/message.c \
	%D%/nesting.c \
	%D%/parsed.c %D%/parsed.h \
	%D%/part.c \
	%D%/random.c \
	%D%/dkim_verify.c %D%/incoming.c %D%/raw.c \
	%D%/report_parse.c \
	%D%/shapes.c %D%/shapes.h \
	%D%/steering.c \
	%D%/structured.c \
	%D%/template.c \
	%D%/template_outline.c \
	%D%/textpart.c \
	%D%/wire.c \
	%D%/words.c
%C%_mail_test_LDADD = $(MAIL_REPORT_LIBS) $(CRITERION_LIBS)

if HAVE_OPENDKIM
check_PROGRAMS += %D%/opendkim_test
TESTS += %D%/opendkim_test
%C%_opendkim_test_SOURCES = %D%/opendkim.c %D%/shapes.c %D%/shapes.h
%C%_opendkim_test_LDADD = $(MAIL_REPORT_LIBS) $(OPENDKIM_LIBS) $(CRITERION_LIBS)
endif
endif
check_PROGRAMS += %D%/write_messages
dist_check_SCRIPTS += %D%/dkim_judge.py %D%/message_judge.py
TESTS += %D%/dkim_judge.py %D%/message_judge.py
%C%_write_messages_SOURCES = \
	%D%/samples.c %D%/samples.h \
	%D%/shapes.c %D%/shapes.h \
	%D%/write_messages.c
%C%_write_messages_LDADD = $(MAIL_REPORT_LIBS)

# reports composed for the tests, and what must be read from each
EXTRA_DIST += \
	%D%/reports/arf-abuse.eml %D%/reports/arf-not-spam.eml %D%/reports/arf-opt-out.eml \
	%D%/reports/arf-redacted.eml %D%/reports/arf-several.eml %D%/reports/communigate.eml \
	%D%/reports/courier.eml %D%/reports/domino.eml %D%/reports/dsn-bare.eml \
	%D%/reports/dsn-base64.eml %D%/reports/dsn-cut-off.eml %D%/reports/dsn-delayed.eml \
	%D%/reports/dsn-delivered.eml %D%/reports/dsn-exchange.eml \
	%D%/reports/dsn-exim-words-only.eml %D%/reports/dsn-exim-itself.eml \
	%D%/reports/dsn-exim.eml \
	%D%/reports/dsn-expanded.eml %D%/reports/dsn-failed.eml %D%/reports/dsn-fixed-path.eml \
	%D%/reports/dsn-junk.eml %D%/reports/dsn-lines.eml \
	%D%/reports/dsn-full-message.eml %D%/reports/dsn-gmail.eml %D%/reports/dsn-nested.eml \
	%D%/reports/dsn-no-original.eml %D%/reports/dsn-nothing-returned.eml \
	%D%/reports/dsn-relayed.eml %D%/reports/dsn-sendmail.eml %D%/reports/dsn-several.eml \
	%D%/reports/dsn-utf8.eml %D%/reports/dsn-without-action.eml %D%/reports/dsn-xtext.eml \
	%D%/reports/exchange-5.5.eml %D%/reports/exchange-html.eml %D%/reports/exim-delayed.eml \
	%D%/reports/exim.eml %D%/reports/gmail-old-delayed.eml %D%/reports/gmail-old.eml \
	%D%/reports/groupwise.eml %D%/reports/imail-full.eml %D%/reports/imail.eml \
	%D%/reports/jmrp.eml %D%/reports/mdaemon.eml %D%/reports/none-empty.eml \
	%D%/reports/none-forwarded.eml %D%/reports/none-header-only.eml %D%/reports/none-mdn.eml \
	%D%/reports/none-quoted.eml %D%/reports/none-vacation.eml %D%/reports/postfix-text.eml \
	%D%/reports/qmail-latin1.eml %D%/reports/qmail.eml %D%/reports/sendmail-several.eml \
	%D%/reports/sendmail.eml %D%/reports/ses.eml %D%/reports/smail.eml \
	%D%/reports/dsn-action-before.eml \
	%D%/reports/dsn-action-words.eml \
	%D%/reports/none-answer.eml \
	%D%/reports/none-answering.eml \
	%D%/reports/none-away-in-words.eml \
	%D%/reports/none-challenge.eml \
	%D%/reports/none-daemon-idle.eml \
	%D%/reports/none-holiday.eml \
	%D%/reports/none-mdn-deleted.eml \
	%D%/reports/words-dsn-without-boundary.eml \
	%D%/reports/words-no-daemon.eml \
	%D%/reports/words-rule.eml \
	%D%/reports/words-warning.eml \
	%D%/reports/table %D%/reports/x-failed-recipients.eml %D%/reports/yahoo.eml
