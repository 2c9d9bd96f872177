package shop.orders;

import java.util.List;
import java.util.Map;
import static java.lang.Math.max;

public class Orders extends Base implements Runnable {
    private final Map<String, Integer> stock = new HashMap<>();
    public static final int LIMIT = 10;

    public Orders(int a) { this.a = a; }

    public void run() {
        try {
            load();
            save(1, 2);
        } catch (IOException e) {
            log.error("failed", e);
        }
        try {
            load();
        } catch (RuntimeException e) {
            throw e;
        } finally {
            close();
        }
        if (stock.isEmpty()) {
            return;
        }
        if (a > 1) {
            a = 2;
        } else {
            a = 3;
        }
        for (int i = 0; i < 3; i++) {
            System.out.println(i);
        }
        for (String s : names) {
            System.out.println(s);
        }
        while (a < 9) {
            a++;
        }
        do { a--; } while (a > 0);
        List<String> copy = new ArrayList<>(names);
        String text = a == 1 ? "one" : "many";
        names.forEach(n -> System.out.println(n));
        synchronized (this) { notify(); }
        switch (a) { case 1: run(); break; default: stop(); }
        throw new IllegalStateException("x");
    }

    public static int twice(int x) { return x * 2; }
    public static String name(String x, int y) { return x + y; }
    @Override
    public String toString() { return "Orders"; }
    void plain() { }
    interface Shape { double area(); }
    enum Color { RED, GREEN }
    record Point(int x, int y) { }
}
