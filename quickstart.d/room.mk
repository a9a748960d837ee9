# SPDX-License-Identifier: MIT
# quickstart: a whole Posthouse to try and to test with
EXTRA_DIST += \
	quickstart .ci/run .ci/asan \
	%D%/build.sh %D%/demo.sh %D%/instance.sh %D%/mail-catcher \
	%D%/packages %D%/packages.sh %D%/process.sh %D%/servers.sh \
	%D%/welcome.html
