#!/bin/sh
# Three configurations with one request: a badge and a portrait, each from its own file, and a card that takes both.
set -e
cd "$(dirname "$0")"
. ../prepare.sh
keepsake apply event.yaml
keepsake group \
  example-badge-of-today=@../../docs/images/souvenir.jpg \
  example-portrait=@../../docs/images/guest.jpg \
  example-card=example-portrait \
  --extras 'example-card={"overlay_file_name_override": "example-badge-of-today"}' \
  --out made
