# SPDX-License-Identifier: MIT
# proofs: long runs of the tests by chance
EXTRA_DIST += %D%/proofs.sh
CLEANFILES += proofs-*.log

# Takes most of an hour; PROOFS takes names of %D%/proofs.sh, such as consent, and STEPS another length.
proofs: all
	$(MAKE) tests/http/http_test tests/segment/segment_test tests/automation/design_test tests/automation/engine_test \
		tests/mail/mail_test tests/lib/lib_test
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' PROOFS='$(PROOFS)' STEPS='$(STEPS)' '$(srcdir)/tests/proofs/proofs.sh'
.PHONY: proofs
