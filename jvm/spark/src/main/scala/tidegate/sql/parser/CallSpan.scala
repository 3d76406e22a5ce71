package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser._
import org.apache.spark.sql.tidegate.LaterKeywords.IDENTIFIED
import tidegate.sql.EventTimeFunction

/**
 * The position of one of our calls in the tokens of a statement.
 *
 * @param function
 *   what it calls, or what a misspelt name means
 * @param name
 *   the position of its name
 * @param arguments
 *   the tokens of each argument
 * @param wrapper
 *   the word `TABLE` of a `TABLE(<call>)` that is in the place of a table, not an argument of a
 *   call
 */
private[parser] final case class CallSpan(
    function: EventTimeFunction,
    name: Int,
    arguments: Seq[ArgumentSpan],
    wrapper: Option[Int]
) {

  /** What an argument is called in messages. */
  def parameterName(tokens: TokenList, argument: ArgumentSpan): String =
    argument.key.fold {
      val isTableFirst = !CallSpan.isDescriptor(tokens, arguments.head.value.start)
      val i = arguments.indexOf(argument) - (if (isTableFirst) 1 else 0)
      function.parameters.lift(i).fold(s"${i + 2}")(_.name)
    }(tokens.name)
}

/**
 * Finds our calls in a statement. A call is ours if it has one of our names, is where a table may
 * be, and has a `DESCRIPTOR(...)` among its arguments: a user's function, table or column may have
 * the same name.
 */
private[parser] object CallSpan {
  val Descriptor = "descriptor"

  /** The calls in the order of their names. */
  def in(tokens: TokenList): Seq[CallSpan] =
    tokens.all.indices.foldLeft(new CallFinder(tokens, List(Frame()), Nil))(_.after(_)).found

  private def isDescriptor(tokens: TokenList, i: Int) =
    tokens.name(i) == Descriptor && tokens.is(i + 1, LEFT_PAREN)

  /** What the brackets around a token enclose. */
  private sealed trait Room
  private case object Other extends Room
  private case object Relation extends Room
  private case object Wrapper extends Room
  private case object Arguments extends Room

  /** `inFrom`: whether a comma separates tables. */
  private final case class Frame(room: Room = Other, inFrom: Boolean = false)

  private final class CallFinder(tokens: TokenList, frames: List[Frame], calls: List[CallSpan]) {
    import tokens.{is, isLenient, isStream, kind}

    def found: Seq[CallSpan] = calls.reverse

    def after(i: Int): CallFinder = kind(i) match {
      case LEFT_PAREN =>
        val call = callAt(i - 1)
        in(Frame(call.fold(roomAt(i))(_ => Arguments)) :: frames, call.toList ::: calls)
      case RIGHT_PAREN if frames.size > 1 => in(frames.tail)
      // Not a clause, but the name of a stream.
      case BY if is(i - 1, IDENTIFIED)             => this
      case FROM                                    => in(Frame(room, true) :: frames.tail)
      case SELECT | BY | OPERATOR_PIPE | SEMICOLON => in(Frame(room, false) :: frames.tail)
      case _                                       => this
    }

    private def in(frames: List[Frame], calls: List[CallSpan] = calls) =
      new CallFinder(tokens, frames, calls)

    private def room = frames.head.room

    private def startsTable(i: Int): Boolean = kind(i - 1) match {
      case FROM | JOIN | LATERAL => true
      case COMMA                 => frames.head.inFrom || room == Arguments
      case FAT_ARROW             => room == Arguments
      case LEFT_PAREN            => room != Other
      case TABLE                 => startsTable(i - 1)
      case _ if isStream(i - 1)  => startsTable(i - 1)
      // The name of a schema, which our functions do not have.
      case DOT if isLenient => startsTable(i - 2)
      case _                => false
    }

    private def roomAt(open: Int): Room =
      if (!startsTable(open)) Other
      else if (is(open - 1, TABLE) && room != Arguments) Wrapper
      else Relation

    private def callAt(name: Int): Option[CallSpan] =
      for {
        function <-
          if (isLenient) EventTimeFunction.near(tokens.name(name))
          else EventTimeFunction.of(tokens.name(name))
        // The word TABLE is near to TUMBLE.
        if startsTable(name) && !is(name, TABLE)
        arguments = argumentsOf(name + 1)
        if isLenient || arguments.exists(a => isDescriptor(a.value.start))
      } yield CallSpan(
        function,
        name,
        arguments,
        Option.when(room == Wrapper && is(name - 1, LEFT_PAREN))(name - 2)
      )

    private def isDescriptor(i: Int) = CallSpan.isDescriptor(tokens, i)

    private def isKey(i: Int) = is(i + 1, FAT_ARROW)

    private def argumentsOf(open: Int): Seq[ArgumentSpan] = {
      val inside = open + 1 until tokens.closing(open)
      val commas = tokens.topLevel(inside).filter(is(_, COMMA))
      val starts = inside.start +: commas.map(_ + 1)
      val ends = commas :+ inside.end
      starts
        .zip(ends)
        .foldLeft(List.empty[Range]) {
          case (last :: earlier, (start, end))
              if hasKeys(last) && !isDescriptor(start) && !isKey(start) =>
            (last.start until end) :: earlier
          case (earlier, (start, end)) => (start until end) :: earlier
        }
        .reverse
        .map { range =>
          if (isKey(range.start)) ArgumentSpan(Some(range.start), range.drop(2))
          else ArgumentSpan(None, range)
        }
    }

    // Commas also separate the keys of a clause after a table.
    private def hasKeys(argument: Range) = TableClause.in(tokens, argument).nonEmpty
  }
}

/**
 * The tokens of an argument.
 *
 * @param key
 *   the position of its name, if it is named
 */
private[parser] final case class ArgumentSpan(key: Option[Int], value: Range)

/**
 * `PARTITION BY`, `ORDER BY` or `WITH SINGLE PARTITION` after a table argument.
 *
 * @param start
 *   the position of its first word
 * @param items
 *   the keys
 */
private[parser] final case class TableClause(start: Int, items: Range)

private[parser] object TableClause {

  /** The clauses of an argument in their order. */
  def in(tokens: TokenList, argument: Range): Seq[TableClause] = {
    val starts = tokens.topLevel(argument).filter { i =>
      tokens.kind(i) match {
        case PARTITION | DISTRIBUTE | ORDER | SORT => tokens.is(i + 1, BY)
        case WITH                                  => tokens.is(i + 1, SINGLE)
        case _                                     => false
      }
    }
    starts.zip(starts.drop(1) :+ argument.end).map { case (start, end) =>
      TableClause(start, if (tokens.is(start, WITH)) end until end else start + 2 until end)
    }
  }
}
