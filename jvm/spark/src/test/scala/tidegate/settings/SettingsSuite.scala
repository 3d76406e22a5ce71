package tidegate
package settings

import java.nio.file.{Files, Paths}

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite
import tidegate.settings.{Defaults, Settings}

class SettingsSuite extends AnyFunSuite {

  private val page =
    Files.readString(Paths.get(sys.props("tidegate.docs"), "settings.md"))

  test("the page has every setting, with its default, its values and its text") {
    val rows = page.linesIterator.filter(_.startsWith("| `spark.")).toSeq
    val expected = Settings.all.map { s =>
      s"| `${s.key}` | `${s.default}` | ${s.wanted} | ${s.doc} |"
    }
    assert(rows === expected)
  }

  test("the page has the defaults of arguments") {
    assert(
      page.contains(
        s"`idleTimeout` is ${Defaults.IdleTimeout}, `maxIdleLag` ${Defaults.MaxIdleLag}"
      )
    )
  }

  test("every default is a value") {
    Settings.all.foreach(_.in(new SQLConf))
  }

  test("a text that means nothing fails with the setting, the text and what is wanted") {
    Settings.all.foreach { setting =>
      val conf = new SQLConf
      conf.setConfString(setting.key, "a lot")
      val error = intercept[AnalysisException](setting.in(conf))
      assert(
        error.getMessage === s"[TIDEGATE_INVALID_SETTING] The setting `${setting.key}` is 'a lot', " +
          s"but must be ${setting.wanted}. SQLSTATE: 22023"
      )
    }
  }
}
