#!/usr/bin/env bash
# Runs sbt: the one on the PATH if there is one, else a launcher that Maven brings once into .tools/.
set -euo pipefail

launcher_version=1.11.7
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
launcher="$root/.tools/sbt-launch-$launcher_version.jar"

refuse() {
  echo "sbt: $*" >&2
  exit 1
}

# A copy of sbt other than this file, or nothing.
sbt_on_path() {
  local candidate
  while read -r candidate; do
    if [[ ! "$candidate" -ef "${BASH_SOURCE[0]}" ]]; then
      echo "$candidate"
      return
    fi
  done < <(type -aP sbt || true)
}

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
command -v "$java" > /dev/null ||
  refuse "found no Java at '$java'. Install Java 17 or 21, or set JAVA_HOME to one."
full_version=$("$java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p' | head -n 1)
major=${full_version#1.}
major=${major%%[!0-9]*}
case "$major" in
  17 | 21) ;;
  *) refuse "found Java ${full_version:-of an unknown version} ('$java'), but Tidegate is built" \
       "with Java 17 or 21. Install one of these, or set JAVA_HOME to one." ;;
esac

installed=$(sbt_on_path)
if [[ -n "$installed" ]]; then
  exec "$installed" "$@"
fi

if [[ ! -f "$launcher" ]]; then
  command -v mvn > /dev/null ||
    refuse "found neither sbt nor Maven on the PATH. Install sbt 1.x, or Maven to fetch it."
  mvn -q dependency:copy -Dartifact="org.scala-sbt:sbt-launch:$launcher_version" \
    -DoutputDirectory="$root/.tools" >&2 ||
    refuse "Maven could not fetch org.scala-sbt:sbt-launch:$launcher_version. Install sbt 1.x."
fi

# shellcheck disable=SC2086 # SBT_OPTS is a list of words.
exec "$java" -Xmx3g -Xss4m -Dsbt.supershell=false ${SBT_OPTS:-} -jar "$launcher" "$@"
