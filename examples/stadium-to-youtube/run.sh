#!/bin/sh
# A clip from the stadium is cut to 20 seconds and goes to a YouTube channel: run.sh CLIP TITLE
set -e
[ $# -eq 2 ] || { echo 'run.sh needs a clip and a title: sh run.sh goal.mp4 "The goal of Saturday"' >&2; exit 2; }
CLIP=$(realpath "$1") TITLE=$2
cd "$(dirname "$0")"
. ../prepare.sh
keepsake apply event.yaml
keepsake check example-stadium
keepsake run "$CLIP" -c example-stadium --extras "$(printf '{"title": "%s"}' "$(printf %s "$TITLE" | sed 's/["\\]/\\&/g')")" --wait
