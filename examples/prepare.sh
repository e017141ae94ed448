# Read by the examples: where the service is, and the command that speaks to it.
export KEEPSAKE_URL="${KEEPSAKE_URL:-http://127.0.0.1:8080}"
if [ -z "$KEEPSAKE_TOKEN" ]; then
  KEEPSAKE_TOKEN=$(cat ../../data/admin-token 2>/dev/null) || {
    echo 'Set KEEPSAKE_TOKEN, or start Keepsake in this checkout first (npm start).' >&2
    exit 1
  }
  export KEEPSAKE_TOKEN
fi
keepsake() { npm --prefix ../.. run --silent keepsake -- "$@"; }
