# SPDX-License-Identifier: MIT
# packaging: packages of the programs that were built
dist_check_SCRIPTS += %D%/debian.sh
TESTS += %D%/debian.sh
CLEANFILES += %D%/packages/*
