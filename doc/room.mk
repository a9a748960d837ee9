# SPDX-License-Identifier: MIT
# doc: for developers. "make doc" draws the pictures anew, which needs Graphviz; data.dot is made from schema/now.
EXTRA_DIST += %D%/architecture.md %D%/backup.md %D%/broadcasts.md %D%/cluster.md \
	%D%/dashboard.md %D%/dashboard-broadcast.png %D%/dashboard-overview.png %D%/dashboard-segment.png %D%/dashboard-template.png \
	%D%/dashboard-workflow.png \
	%D%/data.dot %D%/data.svg %D%/debugging.md %D%/domains.md \
	%D%/examples/example.go %D%/examples/example.mjs %D%/examples/example.php %D%/examples/example.py %D%/examples/example.sh \
	%D%/from-maildiver.md %D%/from-mailgun.md %D%/from-resend.md %D%/install-debian.md %D%/install-shared-host.md \
	%D%/install-vps.md %D%/install-web-servers.md %D%/operation.md %D%/performance.md %D%/performance.svg %D%/recipes.md \
	%D%/receiving.md %D%/relays.md %D%/resend.md %D%/rooms.dot %D%/rooms.svg %D%/smtp.md %D%/templates.md %D%/workflows.md

doc:
	srcdir='$(abs_top_srcdir)' '$(srcdir)/schema/now.py' picture
	dot -Tsvg '$(srcdir)/%D%/rooms.dot' -o '$(srcdir)/%D%/rooms.svg'
	dot -Tsvg '$(srcdir)/%D%/data.dot' -o '$(srcdir)/%D%/data.svg'
.PHONY: doc
