package shop
import scala.collection.mutable
import java.util.{List, Map}
trait Shape { def area: Double }
case class Point(x: Int, y: Int)
object Main extends App { val a = 1 }
class Cart(n: Int) extends Base with Shape {
  var name: String = "a"
  private val k = 2
  def area: Double = 0.0
  def add(a: Int, b: Int): Int = a + b
  def run(): Unit = {
    val x = 1
    if (x > 0) println(x) else println(2)
    if (x > 0) { println(x) }
    for (i <- 0 to 3) { println(i) }
    while (true) { println(1) }
    x match { case 1 => println(1) case _ => println(2) }
    try { load() } catch { case e: Exception => println(e) }
    items.map(_ + 1).filter(i => i > 1)
    items.foreach { i => println(i) }
    val y = new Cart(1)
    val f = (a: Int) => a + 1
    throw new Exception("x")
  }
}
