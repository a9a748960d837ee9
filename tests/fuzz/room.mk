# SPDX-License-Identifier: MIT
# fuzz: what comes from outside, against whatever bytes. Each program tries one kind of input; "make check" gives it its
# corpus, the folder of its name. "make fuzz" builds them once more in fuzz/, with clang and libFuzzer, and lets each run for
# FUZZ_SECONDS from that corpus; FUZZ names those that are wanted. It leaves inputs in %D%/found of the build folder.
fuzz_targets = address csv design dmarc dns html json provider raw received report session template token
check_LIBRARIES += %D%/libfuzz.a %D%/libreplay.a
%C%_libfuzz_a_SOURCES = %D%/fuzz.c %D%/fuzz.h
%C%_libreplay_a_SOURCES = %D%/replay.c
FUZZ_LIBS = %D%/libreplay.a %D%/libfuzz.a
fuzz_programs = \
	%D%/address_fuzzer %D%/csv_fuzzer %D%/design_fuzzer %D%/dmarc_fuzzer %D%/dns_fuzzer \
	%D%/html_fuzzer %D%/json_fuzzer %D%/provider_fuzzer %D%/raw_fuzzer \
	%D%/received_fuzzer %D%/report_fuzzer %D%/session_fuzzer %D%/template_fuzzer %D%/token_fuzzer
check_PROGRAMS += $(fuzz_programs)
TESTS += $(fuzz_programs)
%C%_address_fuzzer_SOURCES = %D%/address_fuzzer.c
%C%_address_fuzzer_LDADD = $(FUZZ_LIBS) $(MAIL_REPORT_LIBS)
%C%_csv_fuzzer_SOURCES = %D%/csv_fuzzer.c
%C%_csv_fuzzer_LDADD = $(FUZZ_LIBS) $(CLI_LIBS)
%C%_design_fuzzer_SOURCES = %D%/design_fuzzer.c
%C%_design_fuzzer_LDADD = $(FUZZ_LIBS) $(AUTOMATION_LIBS)
%C%_dns_fuzzer_SOURCES = %D%/dns_fuzzer.c
%C%_dns_fuzzer_LDADD = $(FUZZ_LIBS) $(DNS_LIBS)
%C%_dmarc_fuzzer_SOURCES = %D%/dmarc_fuzzer.c
%C%_dmarc_fuzzer_LDADD = $(FUZZ_LIBS) $(DOMAIN_REPORT_LIBS) $(PROVIDER_LIBS) $(MAIL_REPORT_LIBS)
%C%_html_fuzzer_SOURCES = %D%/html_fuzzer.c
%C%_html_fuzzer_LDADD = $(FUZZ_LIBS) $(MAIL_REPORT_LIBS)
%C%_json_fuzzer_SOURCES = %D%/json_fuzzer.c tests/fcgi/fake_io.c tests/fcgi/fake_io.h
%C%_json_fuzzer_LDADD = $(FUZZ_LIBS) $(FCGI_ROOM_LIBS)
%C%_provider_fuzzer_SOURCES = %D%/provider_fuzzer.c
%C%_provider_fuzzer_LDADD = $(FUZZ_LIBS) $(PROVIDER_LIBS)
%C%_raw_fuzzer_SOURCES = %D%/raw_fuzzer.c
%C%_raw_fuzzer_LDADD = $(FUZZ_LIBS) $(MAIL_REPORT_LIBS)
%C%_received_fuzzer_SOURCES = %D%/received_fuzzer.c tests/support/settings.c tests/support/settings.h
%C%_received_fuzzer_LDADD = $(FUZZ_LIBS) libreceived.a libdomain.a libjson.a libdns.a $(CARES_LIBS) $(HTML_LIBS)
%C%_report_fuzzer_SOURCES = %D%/report_fuzzer.c
%C%_report_fuzzer_LDADD = $(FUZZ_LIBS) $(MAIL_REPORT_LIBS)
%C%_session_fuzzer_SOURCES = %D%/session_fuzzer.c
%C%_session_fuzzer_LDADD = $(FUZZ_LIBS) libsmtpd_room.a libintake.a $(PROVIDER_LIBS) $(MAIL_REPORT_LIBS)
%C%_template_fuzzer_SOURCES = %D%/template_fuzzer.c
%C%_template_fuzzer_LDADD = $(FUZZ_LIBS) $(MAIL_REPORT_LIBS)
%C%_token_fuzzer_SOURCES = %D%/token_fuzzer.c tests/fcgi/fake_io.c tests/fcgi/fake_io.h \
	tests/support/settings.c tests/support/settings.h
%C%_token_fuzzer_LDADD = $(FUZZ_LIBS) $(FCGI_ROOM_LIBS)
EXTRA_DIST += $(fuzz_targets:%=%D%/%) \
	%D%/address.dict %D%/csv.dict %D%/design.dict %D%/dmarc.dict %D%/dns.dict %D%/html.dict \
	%D%/json.dict %D%/provider.dict %D%/raw.dict %D%/received.dict %D%/report.dict %D%/session.dict %D%/template.dict %D%/token.dict

FUZZ = $(fuzz_targets)
FUZZ_SECONDS = 600
FUZZ_CC = clang
FUZZ_CFLAGS = -g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FUZZ_OPTIONS = -max_len=20000 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1

# The main of libFuzzer comes before that of libreplay.a.
fuzz:
	$(MKDIR_P) fuzz $(fuzz_targets:%=%D%/found/%)
	test -f fuzz/Makefile || (cd fuzz && '$(abs_srcdir)/configure' -q CC='$(FUZZ_CC)' CFLAGS='$(FUZZ_CFLAGS)')
	$(MAKE) -C fuzz $(BUILT_SOURCES)
	$(MAKE) -C fuzz LDFLAGS=-fsanitize=fuzzer $(FUZZ:%=%D%/%_fuzzer)
	cd %D%/found && for target in $(FUZZ); do \
		'$(abs_builddir)'/fuzz/%D%/$${target}_fuzzer -max_total_time=$(FUZZ_SECONDS) $(FUZZ_OPTIONS) \
			-dict='$(abs_srcdir)'/%D%/$$target.dict -artifact_prefix=$$target- \
			$$target '$(abs_srcdir)'/%D%/$$target || exit 1; \
	done
distclean-local:
	rm -rf fuzz tsan
.PHONY: fuzz
