/// Puts a tree together from parts, where it has more levels than the platform reads at once.
struct Parts {
    let surface: Surface
    let bundle: String
    /// Each part is a question to the app; more of them take longer than anybody waits.
    private var left = Parts.most
    static let most = 100

    init(_ surface: Surface, _ bundle: String) { (self.surface, self.bundle) = (surface, bundle) }

    /// The app's tree. What there were too many parts for is counted as unread.
    static func tree(_ surface: Surface, _ bundle: String) throws -> Node {
        var parts = Parts(surface, bundle)
        guard let root = try parts.tree(at: []) else {
            throw AgentFault(.exception, "the tree of \(bundle) has more levels than can be read at once")
        }
        return root
    }

    /// The element is read alone, and each of its children with all below it or, where that is too deep, in the same way.
    private mutating func tree(at way: [Int]) throws -> Node? {
        guard let (alone, count) = try surface.outline(at: way, in: bundle) else { return nil }
        var node = alone
        for i in 0..<count {
            guard left > 0 else {
                node.unread = count - i
                break
            }
            left -= 1
            do {
                if let child = try surface.subtree(at: way + [i], in: bundle) { node.children.append(child) }
            } catch is TooDeep {
                if let child = try tree(at: way + [i]) { node.children.append(child) }
            }
        }
        return node
    }
}
