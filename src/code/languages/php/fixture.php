<html>
<?php
declare(strict_types=1);

namespace App\Model;

use App\Base\{Store, Item as Thing, function helper};
use function strlen, App\run as go;
use App\Other;
require_once __DIR__ . '/boot.php';

const VERSION = '1.0', STEP = 2;
define('OLD', 3);

/**
 * Keeps readings.
 */
#[Entity(table: 'readings'), Loud]
abstract class Repo extends Base implements \Countable, IteratorAggregate
{
    use Loggable, Cached { Cached::get insteadof Loggable; }

    final public const string LIMIT = 'x', SIZE = 3;
    private static ?array $cache = [], $spare;
    public readonly int|string $id;
    var $old = 1;
    public string $name { get => $this->old; set { $this->old = $value; } }

    /** Makes one. */
    public function __construct(
        private readonly Db $db,
        #[Positive] protected int $size = 3,
        string ...$rest
    ) {
        parent::__construct();
    }

    abstract protected function find(int $id, ?string &$out = null): ?Thing;

    final public static function &make(): static
    {
        return new static;
    }

    function count()
    {
        if ($this->a && $this->b || $this->c) {
            foreach ($this->rows as $key => $row) {
            }
        } elseif ($this->d) {
        }
        $kind = match (true) {
            1, 2 => 3,
            default => 4,
        };
        $first = fn($row) => $row ?? 1;
        try {
            switch ($kind) {
                case 3:
                    return 0;
                default:
            }
        } catch (Error $e) {
        }
        return $kind ? 1 : 2;
    }

    public function __destruct()
    {
    }

    private function rows(): \Generator
    {
        yield 1;
    }
}

interface Shape extends A, B
{
    const SIDES = 1;

    public function area(): float;
}

trait Loggable
{
    protected $log = [];

    public static function log(string $line): void
    {
    }
}

enum Suit: string implements HasLabel
{
    case Hearts = 'H';
    case Spades = 'S';
    const Wild = self::Spades;

    public function label(): string
    {
        return ucfirst($this->value);
    }
}

/** Helps. */
#[Pure]
function helper(int $a): int
{
    return $a;
}

$run = function (int $x) use ($y): int {
    return $x;
};
$twice = static fn(int $x): int => $x * 2;
$store = new class(1) extends Base {
    public $rows;
    public function open() {}
};
$config = ['a' => 1];
$config = [];

if (!function_exists('polyfill')) {
    function polyfill() {}
}
?>
<p><?= $config ?></p>
<?php function later() { } ?>
