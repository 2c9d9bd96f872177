import Foundation
protocol Shape { func area() -> Double }
struct Point: Shape { var x: Int; let y: Int; func area() -> Double { return 0 } }
enum Color: String { case red, green }
class Cart: Base {
    private var n = 1
    init(n: Int) { self.n = n }
    func add(_ a: Int, b: Int = 1) -> Int { return a + b }
    static func make() -> Cart { return Cart(n: 1) }
    deinit { close() }
}
extension Cart { func more() { print(1) } }
func main() throws {
    let x = 1
    var y: Int? = nil
    if x > 0 { print(x) }
    if let z = y { print(z) } else { print(0) }
    guard let w = y else { return }
    for i in 0..<3 { print(i) }
    while true { break }
    switch x { case 1: print(1) default: print(2) }
    do { try run() } catch { print(error) }
    items.map { $0 + 1 }
    items.forEach { i in print(i) }
    let s = y ?? 1
    let n = y!
    throw Failure.bad
}
func twice(x: Int) -> Int { return x * 2 }
