/// How much of a tree is told.
public struct Limits: Equatable, Sendable {
    public var depth: Int
    public var nodes: Int
    /// Whether an unnamed container with one child counts for the depth.
    var countsWrappers = true

    public init(depth: Int = 30, nodes: Int = 5000) { (self.depth, self.nodes) = (depth, nodes) }

    /// The depth of a Look.
    static let lookDepth = 60

    /// The most a client may ask for: readers of JSON give up on deeper nesting.
    static let deepest = 1000

    /// These limits with those a request names; 0 is "as usual".
    func with(depth: UInt32, nodes: UInt32) -> Limits {
        Limits(
            depth: depth == 0 ? self.depth : min(Int(depth), Limits.deepest),
            nodes: nodes == 0 ? self.nodes : Int(nodes))
    }

    /// These limits as a Look has them.
    func with(_ terms: LookTerms) -> Limits {
        var limits = Limits(depth: Limits.lookDepth, nodes: nodes).with(depth: terms.maxDepth, nodes: terms.maxNodes)
        limits.countsWrappers = false
        return limits
    }
}

/// Leaves out of a tree what is empty, and what is over the limits; the latter is counted.
struct Trimmer {
    private let limits: Limits
    private var nodes: Int
    private var nesting = 0  // of the nodes that are told, whatever counts for the depth
    private(set) var left: UInt32 = 0

    init(_ limits: Limits) { (self.limits, nodes) = (limits, limits.nodes) }

    /// The trees below roots: those that have something to tell.
    static func trees(_ roots: [Node], _ limits: Limits) -> (roots: [Node], left: UInt32) {
        var trimmer = Trimmer(limits)
        let kept = trimmer.keep(roots, at: 0)
        return (kept, trimmer.left)
    }

    /// An element that was asked for, and is therefore never pruned itself.
    static func element(_ node: Node, _ limits: Limits) -> (node: Node, left: UInt32) {
        var trimmer = Trimmer(limits)
        trimmer.nodes -= 1
        var kept = node
        kept.children = trimmer.keep(node.children, at: 1)
        return (kept, trimmer.left)
    }

    private mutating func keep(_ siblings: [Node], at level: Int) -> [Node] {
        var kept: [Node] = []
        for node in siblings {
            guard level < limits.depth, nesting < Limits.deepest, nodes > 0 else {
                left += UInt32(node.count)
                continue
            }
            nodes -= 1  // counted before pruning: the limit is on work done
            var copy = node
            nesting += 1
            copy.children = keep(node.children, at: limits.countsWrappers || !node.isWrapper ? level + 1 : level)
            nesting -= 1
            left += UInt32(node.unread)
            if node.isNamed || node.frame.hasArea || !copy.children.isEmpty {
                kept.append(copy)
            }
        }
        return kept
    }
}
