#!/bin/sh
# Four shots, one strip: one task. Give four files of your own, or take the pictures of the documentation.
set -e
cd "$(dirname "$0")"
. ../prepare.sh
[ $# -eq 4 ] || set -- ../../docs/images/guest.jpg ../../docs/images/souvenir.jpg ../../docs/images/guest.jpg ../../docs/images/souvenir.jpg
keepsake apply event.yaml
keepsake run "$1" -c example-strip --data "photo_file_names=$2" --data "photo_file_names=$3" --data "photo_file_names=$4" --out made
