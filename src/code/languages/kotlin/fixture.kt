@file:JvmName("Stores")

package com.example.store

import java.util.*
import kotlin.math.max as maximum
import com.example.base.Base

/**
 * Keeps readings.
 * @param T what is kept
 */
@Serializable
abstract class Store<T : Any, out R>(
    val name: String,
    private var limit: Int? = null,
    path: String,
) : Base<T>(path), Closeable by closer, Comparable<Store<T, R>> where T : Cloneable {

    constructor(name: String) : this(name, null, "") {
        println(name)
    }

    init {
        require(name.isNotEmpty() && limit != 0)
    }

    lateinit var owner: Owner
    private val cache: Map<String, T> by lazy {
        val made = HashMap<String, T>()
        made
    }
    var size: Int = 0
        get() = field
        private set(value) {
            field = if (value < 0) 0 else value
        }
    internal val (first, second) = pair()

    /** Reads all. */
    @Throws(IOException::class)
    override suspend fun <K> read(key: K, vararg rest: String, block: (K) -> Unit = {}): List<T>? where K : Any {
        for (part in rest) {
            if (part.isEmpty() || key == part) continue
        }
        try {
            return when (key) {
                is String, is Int -> listOf()
                in known -> null
                else -> cache[key]?.let { listOf(it) } ?: emptyList()
            }
        } catch (e: IOException) {
            while (true) break
        }
        return null
    }

    protected abstract fun close(code: Int)

    operator fun plus(other: Store<T, R>) = this

    inner class Cursor {
        val position = 0
    }

    companion object {
        const val MAX = 10

        @JvmStatic
        fun <T : Any> empty(): Store<T, Nothing> = TODO()
    }

    companion object Registry : Factory
}

@JvmInline
value class Id(val raw: String)

data class Point internal constructor(val x: Int, val y: Int)

sealed interface Shape {
    val area: Double
    data class Circle(val radius: Double) : Shape {
        override val area get() = radius * radius
    }
    data object Empty : Shape
    fun describe(): String = "shape"
}

enum class Level(val rank: Int) : Labelled {
    LOW(1) {
        override fun label() = "low"
    },

    /** The top. */
    @Deprecated("old")
    HIGH(2);

    abstract fun label(): String
}

/** Not for others. */
@Retention(BINARY)
@Target(CLASS)
annotation class Hidden

annotation class Marker(val value: String)

fun interface Listener {
    fun changed(store: Store<*, *>)
}

object Registry : Base<String>("r") {
    val stores = mutableListOf<Store<*, *>>()
    fun find(name: String): Store<*, *>? = stores.firstOrNull { it.name == name && !it.closed }
}

typealias Handler<T> = (T) -> Unit

private inline fun <reified T> List<T>.second(crossinline test: (T) -> Boolean): T? = null

val String.initial: Char
    get() = this[0]

internal val double = { x: Int -> x * 2 }
val task = object : Runnable {
    override fun run() {
        fun step(x: Int): Int = x
        val local = 1
    }
}

infix fun Int.above(other: Int): Boolean = this > other

expect class Platform

actual fun platform(): String = "jvm"

// A line.
tailrec fun gcd(a: Int, b: Int): Int = if (b == 0) a else gcd(b, a % b)
