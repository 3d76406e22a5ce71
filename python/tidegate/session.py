"""Add the Tidegate jar and its session extension to a Spark session."""

from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
from pyspark import SparkConf
from pyspark.sql import SparkSession

from tidegate import _jvm, _workers
from tidegate._arguments import wrong_type
from tidegate._keywords import keywords
from tidegate._version import __version__
from tidegate.errors import MissingExtensionError, MissingJarError, UnsupportedSessionError

if TYPE_CHECKING:
    from pyspark import SparkContext

EXTENSION = "tidegate.TidegateExtensions"
JARS = Path(__file__).parent / "jars"

_EXTENSIONS_KEY = "spark.sql.extensions"
_JARS_KEY = "spark.jars"
_LOCAL_FILES_KEY = "spark.hadoop.fs.AbstractFileSystem.file.impl"
_LOCAL_FILES = "tidegate.files.LocalFiles"


@keywords
def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Add the Tidegate extension and the bundled jar to a session builder.

    Other values in ``spark.sql.extensions`` and ``spark.jars`` are kept, and a second call changes
    nothing. If Spark was started with the jar (``--jars``), no jar is added.

    Checkpoints on a local disk are written without child processes, which take about half of the
    time of a small batch where Hadoop's native library is missing. Set
    ``spark.hadoop.fs.AbstractFileSystem.file.impl`` in the builder for files of another class.

    With a local master, workers run in this Python, unless the variable ``PYSPARK_PYTHON`` names
    another one: the ``python3`` of the PATH, which Spark would take, may lack what this one has.

    Settings in ``spark-defaults.conf`` are seen if ``spark-submit`` or a shell has started Spark.
    In a plain Python process Spark reads that file only later, and a setting of the builder wins:
    repeat your ``spark.sql.extensions``, ``spark.jars`` and file class in the builder there.

    Parameters
    ----------
    builder : SparkSession.Builder
        The builder, before ``getOrCreate()``.

    Returns
    -------
    SparkSession.Builder
        The same builder.

    Raises
    ------
    TypeError
        If ``builder`` is not a builder of sessions.
    MissingJarError
        If Spark runs in this process without the jar, or there is no jar for this PySpark.
    MissingExtensionError
        If a SparkContext runs with the jar but without the extension.
    UnsupportedSessionError
        If the builder is for Spark Connect, where the server decides on jars and extensions, or
        if PySpark is its client for Spark Connect alone.

    Examples
    --------
    >>> import tidegate
    >>> from pyspark.sql import SparkSession
    >>> spark = tidegate.configure(SparkSession.builder.appName("orders")).getOrCreate()
    >>> "tidegate.TidegateExtensions" in spark.conf.get("spark.sql.extensions")
    True
    """
    options = _options(builder)
    if "spark.remote" in options:
        raise UnsupportedSessionError(
            "configure adds a jar to a local Spark, and this builder connects to "
            f"{options['spark.remote']}, a Spark Connect server. Start that server with "
            f"--jars {jar_name()} --conf {_EXTENSIONS_KEY}={EXTENSION}."
        )
    if not _jvm.IS_CLASSIC:
        raise UnsupportedSessionError(
            "configure adds a jar to a local Spark, and only the client of PySpark for Spark "
            f"Connect is installed. Start the server with --jars {jar_name()} "
            f"--conf {_EXTENSIONS_KEY}={EXTENSION}, and connect to it with "
            "SparkSession.builder.remote(...)."
        )
    context = _jvm.context()
    if context is not None:
        _check_running(context)
        return builder

    jvm = _jvm.running()
    if jvm is None:
        jars = _appended(options.get(_JARS_KEY, ""), jarPath())
        builder.config(_JARS_KEY, jars)
        settings = options
    else:
        _check_jar(jvm)
        # spark-submit has started the JVM: the builder adds to the settings of that start.
        settings = {**dict(SparkConf().getAll()), **options}
    if _workers.is_local(settings.get("spark.master")):
        _workers.use_own_python()
    if _LOCAL_FILES_KEY not in settings:
        builder.config(_LOCAL_FILES_KEY, _LOCAL_FILES)
    return builder.config(_EXTENSIONS_KEY, _appended(settings.get(_EXTENSIONS_KEY, ""), EXTENSION))


@keywords
def jarPath() -> str:
    """Return the path of the bundled jar for the PySpark that is installed.

    Returns
    -------
    str
        The absolute path, as ``spark-submit --jars`` takes it.

    Raises
    ------
    MissingJarError
        If there is no jar for this minor version of PySpark.

    Examples
    --------
    >>> import tidegate
    >>> tidegate.jarPath()
    '.../tidegate/jars/tidegate-spark-..._2.13-...jar'
    """
    path = JARS / jar_name()
    if path.is_file():
        return str(path)
    found = sorted(jar.name for jar in JARS.glob("tidegate-spark-*.jar"))
    if not found:
        raise MissingJarError(
            f"This copy of Tidegate {__version__} holds no jar (looked for {path}). Install the "
            "wheel, or build it with `make package`."
        )
    raise MissingJarError(
        f"Tidegate {__version__} has no jar for PySpark {pyspark.__version__} (looked for "
        f"{jar_name()}, found {', '.join(found)}). Install a PySpark that it has a jar for, or "
        "another version of Tidegate."
    )


def jar_name() -> str:
    """Return the file name of the jar: each minor version of Spark has its own."""
    minor = ".".join(pyspark.__version__.split(".")[:2])
    return f"tidegate-spark-{minor}_2.13-{__version__}.jar"


def _options(builder: SparkSession.Builder) -> dict[str, str]:
    options = getattr(builder, "_options", None)
    if not isinstance(options, dict):
        raise wrong_type("builder", "a SparkSession.Builder such as SparkSession.builder", builder)
    return options


def _check_running(context: "SparkContext") -> None:
    """Refuse a context that runs without jar or extension: Spark reads both at its start only."""
    _check_jar(_jvm.running())
    extensions = context.getConf().get(_EXTENSIONS_KEY, "") or ""
    if EXTENSION not in _words(extensions):
        raise MissingExtensionError(
            "A SparkContext is already running without the Tidegate extension: "
            f"{_EXTENSIONS_KEY} is {extensions!r}. Stop it, or call tidegate.configure(builder) "
            "before the first session is created."
        )


def _check_jar(jvm: object) -> None:
    if not _jvm.has_facade(jvm):
        raise MissingJarError(
            "Spark is already running in this process without the Tidegate jar, and takes none "
            "afterwards. Restart Python and call tidegate.configure(builder) before the first "
            f"session is created, or start with spark-submit --jars {jar_name()} "
            f"--conf {_EXTENSIONS_KEY}={EXTENSION}."
        )


def _appended(words: str, word: str) -> str:
    listed = _words(words)
    return ",".join(listed if word in listed else [*listed, word])


def _words(words: str) -> list[str]:
    return [word.strip() for word in words.split(",") if word.strip()]
