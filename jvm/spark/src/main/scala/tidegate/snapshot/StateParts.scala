package tidegate.snapshot

import org.json4s.JsonAST.JString
import org.json4s.jackson.JsonMethods.parseOpt

/** How Spark's reader of states is told to read all of an operator's state. */
private[snapshot] object StateParts {

  /**
   * @param kind
   *   Spark's name of the operator
   * @param properties
   *   what the operator has noted of itself, in JSON
   * @return
   *   the options of each part
   */
  def of(kind: String, properties: Option[String]): Seq[Map[String, String]] = kind match {
    case "symmetricHashJoin" => Seq("left", "right").map(side => Map("joinSide" -> side))
    case _                   =>
      val variables = for {
        json <- properties.flatMap(parseOpt(_)).toSeq
        (_, list) <- json.findField(_._1 == "stateVariables").toSeq
        JString(name) <- list.children.map(_ \ "stateName")
        if !name.startsWith("$")
      } yield Map("stateVarName" -> name)
      if (variables.isEmpty) Seq(Map.empty) else variables
  }
}
