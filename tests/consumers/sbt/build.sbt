// A job that depends on the published jar, as the README says.
scalaVersion := "2.13.18"

libraryDependencies ++= Seq(
  "org.apache.spark" %% "spark-sql" % "4.2.0",
  "io.tidegate" %% "tidegate-spark-4.2" % sys.props("tidegate.version")
)

fork := true
// What Spark's launcher opens on Java 17 and later.
javaOptions ++= Seq("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util",
  "util.concurrent", "util.concurrent.atomic").map(p => s"--add-opens=java.base/java.$p=ALL-UNNAMED") ++
  Seq("nio.ch", "nio.cs", "security.action", "util.calendar").map(p =>
    s"--add-opens=java.base/sun.$p=ALL-UNNAMED")
