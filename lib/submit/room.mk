# SPDX-License-Identifier: MIT
# submit: takes emails of clients and of the service itself
noinst_LIBRARIES += libsubmit.a
libsubmit_a_SOURCES = \
	%D%/batch.c %D%/batch.h \
	%D%/sendmail.c %D%/sendmail.h \
	%D%/service_mail.c %D%/service_mail.h \
	%D%/sign_in.c %D%/sign_in.h \
	%D%/submit.c %D%/submit.h \
	%D%/user_notice.c %D%/user_notice.h
libsubmit_a_CFLAGS = $(AM_CFLAGS)
SUBMIT_LIBS = libsubmit.a $(DELIVERY_LIBS)
