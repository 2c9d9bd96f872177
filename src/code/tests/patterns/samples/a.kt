package shop
import java.util.List
data class Point(val x: Int, val y: Int)
interface Shape { fun area(): Double }
object Single { val a = 1 }
enum class Color { RED, GREEN }
open class Cart(private val n: Int) : Base(n), Shape {
    var name: String = "a"
    override fun area(): Double { return 0.0 }
    fun add(a: Int, b: Int = 1): Int = a + b
    suspend fun load() { delay(1) }
    companion object { fun make() = Cart(1) }
}
fun main(args: Array<String>) {
    val x = 1
    var y: Int? = null
    if (x > 0) { println(x) }
    if (x > 0) { println(x) } else { println(y) }
    for (i in 0..3) { println(i) }
    while (true) { break }
    when (x) { 1 -> println(1) else -> println(2) }
    try { run() } catch (e: Exception) { println(e) } finally { close() }
    items.map { it + 1 }.filter { it > 1 }
    items.forEach { i -> println(i) }
    val z = y ?: 1
    val n = y!!.toString()
    val s = y?.length
    throw IllegalStateException("x")
}
fun twice(x: Int): Int { return x * 2 }
