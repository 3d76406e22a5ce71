"""Checks the wheel, what is in Maven's local repository, and what was made of the sdist.

`make test-publish` runs it:

    python tests/consumers/check_published.py VERSION DEVELOPER REPOSITORY FOLDER

The folder has the wheel that pip has made of the sdist.
"""

import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
SPARKS = ("4.0", "4.1", "4.2", "4.3")
HOME = "https://github.com/tidegate/tidegate"
POM = "{http://maven.apache.org/POM/4.0.0}"

IN_THE_JAR = {
    "tidegate/TidegateExtensions.class",
    "tidegate/javaapi/Tidegate.class",
    "tidegate/core/Watermark.class",
    "org/apache/spark/sql/tidegate/SparkInternals.class",
    "META-INF/LICENSE",
    "META-INF/NOTICE",
}
# The second and the third are for what Spark keeps private.
OUR_CLASSES = (
    "tidegate/",
    "org/apache/spark/sql/tidegate/",
    "org/apache/spark/sql/kafka010/SourceTopics",
)
IN_THE_SOURCES = {
    "tidegate/TidegateExtensions.scala",
    "tidegate/javaapi/Tidegate.java",
    "tidegate/core/Watermark.scala",
    "org/apache/spark/sql/tidegate/SparkInternals.scala",
    "org/apache/spark/sql/tidegate/OffsetFormats.scala",
}
IN_THE_SCALADOC = {
    "index.html",
    "tidegate/index.html",
    "tidegate/TidegateExtensions.html",
    "tidegate/builders/Between.html",
}


class Artifacts:
    """What is published for a Spark."""

    def __init__(self, repository: Path, spark: str, version: str) -> None:
        self.name = f"tidegate-spark-{spark}_2.13"
        self.spark = spark
        self.version = version
        self._folder = repository / "io" / "tidegate" / self.name / version

    def pom(self) -> ElementTree.Element:
        """Return the root of the POM."""
        return ElementTree.parse(self._file(".pom")).getroot()

    def names(self, suffix: str) -> set[str]:
        """Return the names of the files in a jar."""
        with zipfile.ZipFile(self._file(suffix)) as jar:
            return set(jar.namelist())

    def read(self, suffix: str, name: str) -> bytes:
        """Return a file of a jar."""
        with zipfile.ZipFile(self._file(suffix)) as jar:
            return jar.read(name)

    def _file(self, suffix: str) -> Path:
        return self._folder / f"{self.name}-{self.version}{suffix}"


def check(what: str, found: object, wanted: object) -> None:
    """End with a sentence if two things differ."""
    if found != wanted:
        sys.exit(f"{what}: found {found!r}, wanted {wanted!r}")


def texts(element: ElementTree.Element, *paths: str) -> tuple[str | None, ...]:
    """Return the texts of some elements below one."""
    return tuple(element.findtext("/".join(POM + p for p in path.split("/"))) for path in paths)


def check_pom(published: Artifacts, developer: str) -> None:
    """Check who made it, under which licence, and what it asks for."""
    pom, name = published.pom(), published.name
    check(
        f"coordinates of {name}",
        texts(pom, "groupId", "artifactId", "version", "packaging"),
        ("io.tidegate", name, published.version, "jar"),
    )
    check(f"page of {name}", texts(pom, "url"), (HOME,))
    check(
        f"licence of {name}",
        texts(pom, "licenses/license/name", "licenses/license/url"),
        ("Apache-2.0", "https://www.apache.org/licenses/LICENSE-2.0.txt"),
    )
    check(
        f"SCM of {name}",
        texts(pom, "scm/url", "scm/connection"),
        (HOME, f"scm:git:{HOME}.git"),
    )
    check(
        f"developer of {name}",
        " ".join(map(str, texts(pom, "developers/developer/name", "developers/developer/email"))),
        developer.replace("<", "").replace(">", ""),
    )
    (scheme,) = texts(pom, "properties/info.versionScheme")
    check(f"version scheme of {name}", scheme, "early-semver")

    asked = {
        (d.findtext(f"{POM}artifactId", ""), d.findtext(f"{POM}scope", "compile"))
        for d in pom.iter(f"{POM}dependency")
    }
    # Spark is whose session it is, and brings Scala's library in any case.
    needed = {d for d in asked if d[1] not in ("test", "provided")}
    check(f"dependencies of {name}", needed, {("scala-library", "compile")})
    check(f"modules of our own in the POM of {name}", [d for d in asked if "tidegate" in d[0]], [])


def check_jars(published: Artifacts) -> None:
    """Check the jar, its sources and its Scaladoc."""
    jar = published.names(".jar")
    check(f"missing in {published.name}.jar", IN_THE_JAR - jar, set())
    foreign = [name for name in jar if name.endswith(".class") and not name.startswith(OUR_CLASSES)]
    check(f"classes of others in {published.name}.jar", foreign, [])
    for name in ("LICENSE", "NOTICE"):
        text = published.read(".jar", f"META-INF/{name}")
        check(f"{name} in {published.name}.jar", text, (ROOT / name).read_bytes())
    check(
        f"missing in the sources of {published.name}",
        IN_THE_SOURCES - published.names("-sources.jar"),
        set(),
    )
    check(
        f"missing in the Scaladoc of {published.name}",
        IN_THE_SCALADOC - published.names("-javadoc.jar"),
        set(),
    )
    bundled = ROOT / "build" / "jars" / f"{published.name}-{published.version}.jar"
    with zipfile.ZipFile(bundled) as ours:
        check(f"the jar of {published.name} in the wheel", set(ours.namelist()), jar)


def check_wheel(version: str, dist: Path) -> None:
    """Check that the wheel has the jar of each Spark, and no other."""
    with zipfile.ZipFile(dist / f"tidegate-{version}-py3-none-any.whl") as wheel:
        jars = {name for name in wheel.namelist() if name.endswith(".jar")}
    names = {f"tidegate/jars/tidegate-spark-{spark}_2.13-{version}.jar" for spark in SPARKS}
    check("jars of the wheel", jars, names)


def check_sdist(version: str, made: Path, dist: Path) -> None:
    """Check that the wheel made of the sdist has what the wheel has."""
    name = f"tidegate-{version}-py3-none-any.whl"
    with zipfile.ZipFile(made / name) as of_sdist, zipfile.ZipFile(dist / name) as wheel:
        found = {info.filename: info.CRC for info in of_sdist.infolist()}
        wanted = {info.filename: info.CRC for info in wheel.infolist()}
    check("files of the wheel made of the sdist", found, wanted)


def main(version: str, developer: str, repository: str, made: str) -> None:
    """Check all of it."""
    for spark in SPARKS:
        published = Artifacts(Path(repository), spark, version)
        check_pom(published, developer)
        check_jars(published)
        print(f"{published.name} {version}: POM, jar, sources and Scaladoc are complete")
    check_wheel(version, ROOT / "dist")
    check_sdist(version, Path(made), ROOT / "dist")
    print("the wheel made of the sdist is the wheel")


if __name__ == "__main__":
    main(*sys.argv[1:])
