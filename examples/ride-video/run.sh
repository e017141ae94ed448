#!/bin/sh
# A clip of a ride gets an overlay and music. Give a video of your own, or ffmpeg draws one.
set -e
cd "$(dirname "$0")"
. ../prepare.sh
mkdir -p made
[ -f made/music.mp3 ] || ffmpeg -v error -f lavfi -i 'sine=frequency=330:duration=8' -f lavfi -i 'sine=frequency=440:duration=8' \
  -filter_complex 'amix=inputs=2,tremolo=f=4,afade=t=out:st=6:d=2' made/music.mp3
if [ $# -eq 0 ]; then
  [ -f made/ride.mp4 ] || ffmpeg -v error -f lavfi -i 'testsrc2=size=1280x720:rate=25:duration=5' -pix_fmt yuv420p made/ride.mp4
  set -- made/ride.mp4
fi
keepsake apply event.yaml
keepsake run "$@" -c example-ride --out made
