# SPDX-License-Identifier: MIT
# postfix: a real one as the relay, whose reports come back through its pipe
dist_check_SCRIPTS += %D%/reports.py
TESTS += %D%/reports.py
