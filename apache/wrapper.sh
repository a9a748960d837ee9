#!/bin/sh
# SPDX-License-Identifier: MIT
export POSTHOUSE_CONFIG=@config@
exec @program@
