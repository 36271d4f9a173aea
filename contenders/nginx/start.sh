# Fills port and workers into nginx.conf and becomes nginx.
set -eu

mkdir -p target
config="target/${PORT:?must be a port number}.conf"
sed "s/@PORT@/$PORT/; s/@WORKERS@/$(nproc)/" nginx.conf >"$config"

# Opened and then removed, so that no copy stays behind however nginx ends.
exec 3<"$config"
rm "$config"
exec nginx -p "$PWD/" -c /dev/fd/3
