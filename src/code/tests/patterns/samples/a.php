<?php
namespace App\Shop;
use App\Base;
interface Shape { public function area(); }
abstract class Cart extends Base implements Shape {
    private int $n = 1;
    const LIMIT = 3;
    public function __construct(private string $name) { parent::__construct(); }
    public static function make(int $a): self { return new self($a); }
    protected function run() {
        if ($a) { echo $a; }
        if ($a == 1) { run(); } else { stop(); }
        foreach ($items as $k => $v) { print($v); }
        foreach ($items as $v) { echo $v; }
        for ($i = 0; $i < 3; $i++) { echo $i; }
        while ($a) { break; }
        try { run(); } catch (Exception $e) { log($e); }
        switch ($a) { case 1: run(); break; default: stop(); }
        $this->items[] = 1;
        $x = $a ?? $b;
        $y = array_map(function ($z) { return $z; }, $items);
        $f = fn($z) => $z + 1;
        $o->get(1)->set(2);
        Foo::bar(1, 2);
        unset($a);
        isset($a['b']);
        throw new Exception("x");
        return $a ? 1 : 2;
    }
}
function add($a, $b = 1) { return $a + $b; }
echo add(1, 2);
