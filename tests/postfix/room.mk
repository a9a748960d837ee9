# SPDX-License-Identifier: MIT
# postfix: a real one as the relay, with and without a login, whose reports come back through its pipe, and which breaks long lines
EXTRA_DIST += %D%/stage.py
dist_check_SCRIPTS += %D%/relays.py %D%/receive.py %D%/reports.py %D%/sendmail.py %D%/streams.py %D%/submission.py
TESTS += %D%/relays.py %D%/receive.py %D%/reports.py %D%/sendmail.py %D%/streams.py %D%/submission.py
