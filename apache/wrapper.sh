#!/bin/sh
export POSTHOUSE_CONFIG=@config@
exec @program@
