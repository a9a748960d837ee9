# SPDX-License-Identifier: MIT
# api: the description of the HTTP API in OpenAPI, a file for each resource. They are joined into openapi.json, which is
# installed, and which the service holds as a C string and serves. The table of routes, the prototypes of their handlers
# and the tables of posthouse-api(7) are made from the same files.
api_parts = \
	%D%/service.json \
	%D%/public.json \
	%D%/emails.json \
	%D%/domains.json \
	%D%/domain_settings.json \
	%D%/dmarc.json \
	%D%/received.json \
	%D%/templates.json \
	%D%/audiences.json \
	%D%/people.json \
	%D%/people_bulk.json \
	%D%/imports.json \
	%D%/properties.json \
	%D%/forms.json \
	%D%/page.json \
	%D%/segments.json \
	%D%/sessions.json \
	%D%/topics.json \
	%D%/sending.json \
	%D%/users.json \
	%D%/requests.json \
	%D%/suppressions.json \
	%D%/waiting.json \
	%D%/stats.json \
	%D%/streams.json \
	%D%/events.json \
	%D%/workflows.json \
	%D%/executions.json \
	%D%/starts.json \
	%D%/secrets.json \
	%D%/webhooks.json \
	%D%/broadcasts.json \
	%D%/automation_contacts.json \
	%D%/keys.json \
	%D%/workspace.json
EXTRA_DIST += $(api_parts) man/posthouse-api.7.in
nodist_pkgdata_DATA = %D%/openapi.json
dist_man_MANS += man/posthouse-api.7
BUILT_SOURCES += %D%/document.h %D%/fields.h %D%/operations.h %D%/routes.h
CLEANFILES += %D%/openapi.json %D%/document.h %D%/fields.h %D%/operations.h %D%/routes.h %D%/headers.stamp man/posthouse-api.7

# The program that makes all of them.
noinst_PROGRAMS += %D%/api_doc
%C%_api_doc_SOURCES = %D%/api_doc.c %D%/api_doc.h %D%/fields.c %D%/manual.c %D%/prose.c %D%/prose.h %D%/routes.c \
	%D%/type_words.c %D%/type_words.h
%C%_api_doc_LDADD = $(JSON_ROOM_LIBS)
api_doc = $(abs_builddir)/%D%/api_doc$(EXEEXT)

%D%/openapi.json: $(api_parts) %D%/api_doc$(EXEEXT) %D%/room.mk configure.ac
	$(AM_V_GEN)cd $(srcdir) && $(api_doc) openapi '$(PACKAGE_VERSION)' $(api_parts) >$(abs_builddir)/$@.tmp && \
		mv $(abs_builddir)/$@.tmp $(abs_builddir)/$@
%D%/document.h: %D%/openapi.json
	$(AM_V_GEN)$(api_doc) document %D%/openapi.json >$@.tmp && mv $@.tmp $@
# A description that changes nothing in a header leaves it as it is, so that nothing is compiled again.
%D%/headers.stamp: $(api_parts) %D%/api_doc$(EXEEXT) %D%/room.mk
	$(AM_V_GEN)for name in fields operations routes; do \
		new=$(abs_builddir)/%D%/$$name.h; \
		(cd $(srcdir) && $(api_doc) $$name $(api_parts)) >$$new.tmp || exit 1; \
		if cmp -s $$new.tmp $$new; then rm $$new.tmp; else mv $$new.tmp $$new; fi; \
	done && touch $@
%D%/fields.h %D%/operations.h %D%/routes.h: %D%/headers.stamp
	@test -f $@ || { rm -f %D%/headers.stamp; $(MAKE) %D%/headers.stamp; }
man/posthouse-api.7: %D%/openapi.json man/posthouse-api.7.in %D%/api_doc$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) man && $(api_doc) manual %D%/openapi.json $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@

# The tarball has the joined document at its top, to be read without a build.
dist-hook: dist-openapi
dist-openapi: %D%/openapi.json
	cp %D%/openapi.json $(distdir)/openapi.json
.PHONY: dist-openapi
