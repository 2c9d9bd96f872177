package com.example
package store

import java.util.{List => JList, Map, Set => _}
import scala.collection.mutable.*
import scala.concurrent.Future
import scala.util.Try as Attempt
import cats.syntax.{all as syntax, given}
import model._, other.Thing
import instances.{given Ordering[Int], *}

/** Keeps readings.
  *
  * @param size how many
  */
@deprecated("use Cache", since = "2.0")
abstract class Store[K <: Comparable[K], +V](val size: Int, private var name: String = "x", hidden: Long)(using ctx: Context)
    extends Base[K](size) with Closeable with Iterable[V] {
  self: Logging =>

  val limit, step: Int = 10
  private[store] lazy val cache: Map[K, V] = Map.empty
  protected[this] var count = 0
  val (low, high) = (1, 2)
  type Key = K
  type Elem <: AnyRef
  val onChange: (K, V) => Unit = (key, value) => println(key)
  @volatile private var flag: Boolean = _

  /** Another way to make one. */
  def this(size: Int) = this(size, "none", 0L)

  /** Finds one. */
  @throws[IOException]
  @inline final override def find[T >: V](key: K, strict: Boolean = false)(names: String*)(implicit ord: Ordering[T]): Option[T] = {
    if (strict && names.isEmpty || key == null) return None
    for (n <- names if n.nonEmpty) println(n)
    while (count > 0) count -= 1
    do { count += 1 } while (count < 3)
    try check(key)
    catch {
      case e: IOException if e.getMessage == null => throw e
      case _: RuntimeException => ()
    }
    def local(depth: Int): Int = if (depth > 0) depth else 0
    count match {
      case 0 | 1 => None
      case n if n > 3 => None
      case _ => Some(value)
    }
  }

  def close(): Unit
  protected def open: Boolean
  implicit def toText(store: Store[K, V]): String = store.toString
  def +(other: Store[K, V]): Store[K, V] = this
  def lazily(body: => Unit): Unit = body
  private def reset() { count = 0 }

  class Entry private (val key: K, var value: V)
}

object Store {
  private final val Limit = 10
  def apply[K, V](size: Int): Store[K, V] = new Store[K, V](size) {
    override def close(): Unit = ()
  }
  implicit class RichInt(private val n: Int) extends AnyVal {
    def squared: Int = n * n
  }
}

case class Point(x: Int, y: Int = 0) extends Shape derives CanEqual
case object Origin extends Shape
sealed trait Shape extends Product with Serializable {
  def area: Double
  val name: String
  var label: String
}
private[example] trait Codec[A](val kind: String):
  def encode(value: A): String
  def decode(text: String): Option[A] = None
end Codec

enum Color(val rgb: Int) extends java.lang.Enum[Color]:
  case Red extends Color(0xFF0000)
  case Green, Blue
  /** Any other one. */
  case Mix(mix: Int) extends Color(mix)
  def isRed: Boolean = this match
    case Red => true
    case _ => false

given intCodec: Codec[Int] with
  def encode(value: Int): String = value.toString

given Codec[String] with
  def encode(value: String): String = value

given listCodec[A](using codec: Codec[A]): Codec[List[A]] = ???

extension (text: String)
  def shout: String = text.toUpperCase
  def repeat(n: Int): String = text * n

extension [A](list: List[A]) def second: A = list.tail.head

opaque type Id = Long
type Handler[A] = A => Unit

inline def debug(inline message: String): Unit =
  if enabled then println(message)

@main def run(args: String*): Unit =
  val x = 1
  args.foreach { arg =>
    if arg.isEmpty then println(x)
  }

val double = (n: Int) => if (n > 0) n * 2 else 0
export model.Item

package object util {
  val Pi = 3.14
}

package inner {
  class Deep
}

object Layout:
  def one: Int =
    // of itself
    1 + 1

  // about what follows

  /** The other. */
  def two: Int =
    val x = 2
    x

  /** The last. */
  val three =
    3
