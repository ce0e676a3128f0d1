/// A selector, taken apart.
public struct Query: Equatable, CustomStringConvertible, Sendable {
    public let base: String
    /// Which of the matches, in document order.
    public let index: Int
    /// Compare labels rather than identifiers.
    public let byLabel: Bool
    /// Element type; nil is any.
    public let type: String?

    /// Reads `base` or `base[N]` with ASCII digits; any other bracket is part of the base.
    public init(_ selector: String, byLabel: Bool = false, type: String? = nil) {
        self.byLabel = byLabel
        self.type = type == ElementType.any ? nil : type
        let bytes = Array(selector.utf8)
        guard bytes.last == UInt8(ascii: "]"), let open = bytes.lastIndex(of: UInt8(ascii: "[")) else {
            (base, index) = (selector, 0)
            return
        }
        let digits = bytes[(open + 1)..<(bytes.count - 1)]
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            (base, index) = (selector, 0)
            return
        }
        base = String(decoding: bytes[..<open], as: UTF8.self)
        // Too large to be a number is too large to be found.
        index = Int(String(decoding: digits, as: UTF8.self)) ?? Int.max
    }

    /// A query that ignores a type it does not know.
    static func lenient(_ selector: String, byLabel: Bool, type: String?) -> Query {
        Query(selector, byLabel: byLabel, type: type.flatMap { ElementType.number(of: $0) == nil ? nil : $0 })
    }

    public var description: String {
        var text = "with \(byLabel ? "label" : "identifier") \(JSON.quoted(base))"
        if let type { text += " of type \(type)" }
        if index > 0 { text += " at index \(index)" }
        return text
    }

    /// Compares code points: Swift's own equality takes é in one or two code points for the same, XCTest does not.
    public func matches(_ node: Node) -> Bool {
        (byLabel ? node.label : node.identifier).unicodeScalars.elementsEqual(base.unicodeScalars)
            && (type == nil || type == node.type)
    }

    /// The way from the root down to the match; nil if there is none. The app's own element is not among its
    /// descendants.
    public func find(in root: Node) -> [Node]? { root.path(after: index, where: matches) }

    /// The same query for what lies behind this tree: matches in it are counted off. Nil if the match is in it.
    func behind(_ root: Node) -> Query? {
        let before = root.descendants(where: matches)
        return before > index ? nil : Query(self, index: index - before)
    }

    private init(_ other: Query, index: Int) {
        (base, self.index, byLabel, type) = (other.base, index, other.byLabel, other.type)
    }
}
