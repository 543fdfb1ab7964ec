# Makes a clone ready to run: installs when the lock file is newer than what is installed, builds when the sources are.
set -eu
cd "$(dirname "$0")/.."
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci
elif [ ! -f dist/main.cjs ] || [ -n "$(find src tsdown.config.ts -newer dist/main.cjs -print -quit)" ]; then
  npm run --silent build
fi
