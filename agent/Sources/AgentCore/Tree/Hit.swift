/// Whether a finger reaches an element of a tree: as a real screen has it, what was drawn later is on top.
public enum Hit {
    /// A finger at the centre of the path's last node lands on it, or on something in it.
    public static func reaches(_ path: [Node]) -> Bool {
        guard let element = path.last, element.frame.hasArea else { return false }
        return reaches(path, at: element.frame.centre)
    }

    /// A finger at a point lands on the path's last node, or on something in it.
    static func reaches(_ path: [Node], at point: Point) -> Bool {
        guard let element = path.last, element.frame.contains(point) || covers(element, point) else { return false }
        guard path[0].frame.contains(point) else { return false }
        for (parent, child) in zip(path, path.dropFirst()) {
            if parent.clips, !parent.frame.contains(point) { return false }
            // A parent's later children are drawn over its earlier ones. Of equal ones the last takes the finger.
            let position = parent.children.lastIndex(of: child) ?? 0
            if parent.children[(position + 1)...].contains(where: { covers($0, point) }) { return false }
        }
        return true
    }

    /// The path to the topmost node that takes a touch at a point.
    public static func path(to point: Point, in root: Node) -> [Node]? {
        for child in root.children.reversed() {
            if modal.contains(child.type), !child.frame.contains(point) { return [root, child] }
            if child.clips, !child.frame.contains(point) { continue }
            if let below = path(to: point, in: child) { return [root] + below }
            if child.frame.contains(point), !isSeeThrough(child) { return [root, child] }
        }
        return nil
    }

    /// These take the touches of the whole screen while they are up.
    private static let modal = ["Alert", "Dialog", "Sheet"]

    /// Scaffolding. What has a name is there to be touched; an app's own element has one, and is not.
    private static func isSeeThrough(_ node: Node) -> Bool {
        node.type == "Application" || ["Window", "Other"].contains(node.type) && node.label.isEmpty
    }

    /// A node, or something in it, takes a touch at a point.
    static func covers(_ node: Node, _ point: Point) -> Bool {
        if modal.contains(node.type) || node.frame.contains(point) && !isSeeThrough(node) { return true }
        if node.clips, !node.frame.contains(point) { return false }
        return node.children.contains { covers($0, point) }
    }
}
