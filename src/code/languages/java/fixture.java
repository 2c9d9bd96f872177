package com.example.store;

import java.util.*;
import static java.util.Map.entry;

/**
 * Keeps readings.
 * @since 1
 */
@Service(name = "store")
public abstract class Store<K extends Comparable<K>, V> extends Base<K> implements Map<K, V>, AutoCloseable {
    private static final int LIMIT = 10, STEP = 2;
    protected final List<V> items = new ArrayList<>();
    Predicate<V> filter = v -> v != null;
    Runnable task = new Runnable() {
        @Override public void run() { items.clear(); }
    };

    static { System.out.println("loaded"); }
    { items.clear(); }

    public Store(int size, String... names) throws IOException { super(size); }

    /** Finds one. */
    @Deprecated
    public <T extends V> T find(final K key, boolean strict) {
        for (V v : items) {
            if (strict && v == null || key == null) continue;
            switch (v.size()) { case 1: break; case 2, 3: return null; default: }
        }
        class Local { int depth; }
        return strict ? null : (T) items.get(0);
    }

    protected abstract void close();
    synchronized static void reset() { try { } catch (Exception e) { } }

    public interface Listener extends Runnable, Comparable<Listener> {
        int VERSION = 1;
        void changed(Store<?, ?> store);
        default boolean isOpen() { return true; }
    }

    enum Level implements Supplier<String> {
        LOW(1) { public String get() { return "low"; } },
        HIGH(2);
        private final int rank;
        Level(int rank) { this.rank = rank; }
    }

    public record Point(int x, int y) implements Shape {
        public Point { if (x < 0) throw new IllegalArgumentException(); }
        static int area(Object o) { return switch (o) { case Point p when p.x > 0 -> p.x; default -> 0; }; }
    }

    @interface Marker { String value() default ""; }
}
