#!/usr/bin/env swift
//
//  Store.swift
//

import Foundation
import struct Shop.Item
import func Darwin.C.exit
@testable import StoreKit
@_exported public import Core.Model
#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

/// Keeps readings.
///
/// Safe for concurrent use.
@available(iOS 13.0, macOS 10.15, *)
@MainActor
open class Store<Key: Hashable, Value>: Base<Key>, Codable, CustomStringConvertible where Value: Sendable {
    /// How many there may be.
    public static let limit = 10, step: Int = 2
    private(set) var items: [Key: Value] = [:]
    fileprivate lazy var cache: NSCache<NSString, NSData> = {
        if limit > 3 { return NSCache() }
        return NSCache()
    }()
    @Published var count: Int = 0 {
        willSet { print(newValue) }
        didSet {
            if oldValue != count { notify() }
        }
    }
    weak var delegate: StoreDelegate?
    public var description: String { "Store of \(items.count)" }
    var first: Value? {
        get { items.isEmpty ? nil : items.values.first }
        set { guard let newValue = newValue else { return } }
    }
    let onChange: (Key, Value) -> Void = { key, value in print(key, value) }
    class var shared: Int { 1 }

    /**
     Makes an empty one.
     - Parameter size: how many
     */
    public required init(size: Int = 8, names: String...) throws {
        super.init()
    }

    public convenience init?(coder: NSCoder) { return nil }

    deinit { items.removeAll() }

    public subscript(key: Key) -> Value? {
        get { items[key] }
        set { items[key] = newValue }
    }

    static subscript(index index: Int, default fallback: @autoclosure () -> Int = 0) -> Int { index }

    /// Finds one.
    @discardableResult
    public func find<T>(_ key: Key, in list: [T], strict: Bool = false, then handler: @escaping (Value) -> Void) async throws -> Value? where T: Comparable {
        guard let found = items[key], !strict || list.isEmpty else { return nil }
        for item in list where item > list[0] { print(item) }
        while count > 0 && strict { count -= 1 }
        repeat { count += 1 } while count < 3
        do {
            try check(key)
        } catch let error as NSError where error.code == 1 {
            print(error)
        } catch {
            throw error
        }
        func local(_ depth: Int) -> Int { depth > 0 ? depth : 0 }
        switch count {
        case 0, 1: break
        case let n where n > 3: break
        default: break
        }
        return found ?? handlerDefault
    }

    override class func reset() {}
    func merge(into other: inout Store, _: Int, with op: (Int, Int) -> Int) rethrows {}

    struct Entry { var key: Key; internal let value: Value }
}

@objc public protocol StoreDelegate: AnyObject, Sendable {
    associatedtype Item: Hashable = String
    var isOpen: Bool { get set }
    static var total: Int { get }
    init(size: Int)
    subscript(index: Int) -> Item { get }
    /// Says that it changed.
    func changed(_ store: Item, at index: Int) async throws -> Bool
    mutating func clear()
}

public indirect enum Level<T>: String, CaseIterable {
    case low = "L", high
    /// With a reason.
    case custom(T, reason: String = "", Int)
    var isLow: Bool {
        switch self {
        case .low: return true
        case .high, .custom: return false
        }
    }
    static func == (lhs: Level, rhs: Level) -> Bool { true }
}

public struct Point: Equatable {
    public var x, y: Double
    var z = 0.0
    let (a, b) = (1, 2)
    public mutating func move(by delta: Double) { x += delta }
    init() { (x, y) = (0, 0) }
}

extension Array: StoreDelegate, Shop.Sized where Element == Int {
    public func total() -> Int { reduce(0, +) }
    private var half: Int { count / 2 }
}

private extension Shop.Item {
    func describe() -> String { "item" }
}

actor Counter {
    private var value = 0
    nonisolated let name: String
    func increment() async -> Int { value += 1; return value }
}

public typealias Handler<T> = (Result<T, Error>) -> Void
infix operator <=>: ComparisonPrecedence
prefix operator √
precedencegroup Power { higherThan: MultiplicationPrecedence }

public func <=> <T: Comparable>(lhs: T, rhs: T) -> Bool { lhs < rhs }

@freestanding(expression)
public macro stringify<T>(_ value: T) -> (T, String) = #externalMacro(module: "Macros", type: "StringifyMacro")

#if DEBUG
private let isDebug = true
func trace(_ message: String) { print(message) }
#else
private let isDebug = false
#endif

let handler = { (value: Int) -> Int in
    value > 0 ? value : 0
}
var (width, height) = (1.0, 2.0)
private func fetch() async throws(StoreError) -> some View { EmptyView() }

class Outer {
    final class Inner {
        enum Kind { case a }
    }
    let task: Runner = Runner()
    func run() {
        struct Local { var depth = 0 }
        let x = 1
        let nested = { if x > 0 { print(x) } }
        Task { @MainActor in
            if x == 1 || x == 2 { nested() }
        }
        if #available(iOS 15, *), x > 2 { print(x) }
        let y = if x > 1 { 1 } else { 2 }
    }
}

final class StoreTests: XCTestCase {
    func testFind() async throws {
        switch level {
        case .low: break
        #if os(Linux)
        case .high: break
        #endif
        default: break
        }
    }

    #if compiler(>=5.9)
    @available(macOS 14, *)
    #endif
    func makeStore() -> sending Store<Int, Int> { fatalError() }
}

@Test("finds one") func finding() { #expect(find(1) == nil) }

func settle() {
    do {
        promise.succeed(())
    } catch let error as NSError where error.code == .unsupported {
        // Nothing to do.
        ()
    }
}
