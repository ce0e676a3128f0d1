/// Whether a finger reaches an element, as far as a tree can tell: what comes later in it is drawn on top, as a rule.
public enum Hit {
    /// How sure it is that a finger lands on an element.
    enum Reach: Equatable {
        case reached
        /// Something else seems to be on top; the order of a tree is not always that of drawing.
        case covered
        /// It is not on the screen, or under something that takes every touch.
        case hidden
    }

    /// A finger at the centre of the path's last node lands on it, or on something in it.
    public static func reaches(_ path: [Node]) -> Bool {
        guard let element = path.last, element.frame.hasArea else { return false }
        return reach(path, at: element.frame.centre) == .reached
    }

    /// Whether a finger at a point lands on the path's last node, or on something in it.
    static func reach(_ path: [Node], at point: Point) -> Reach {
        guard let element = path.last, element.frame.contains(point) || covers(element, point) else { return .hidden }
        guard path[0].frame.contains(point) else { return .hidden }
        var reach = Reach.reached
        for (parent, child) in zip(path, path.dropFirst()) {
            if parent.clips, !parent.frame.contains(point) { return .hidden }
            // Of equal ones the last takes the finger.
            let position = parent.children.lastIndex(of: child) ?? 0
            for (i, other) in parent.children.enumerated() where i != position {
                if i > position, isModal(other) { return .hidden }
                let (bar, childIsBar) = (bars.contains(other.type), bars.contains(child.type))
                if bar == childIsBar ? i > position : bar, covers(other, point) { reach = .covered }
            }
        }
        return reach
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

    /// These are drawn over the content beside them. iOS names a navigation bar before its content.
    private static let bars = ["NavigationBar", "TabBar", "Toolbar", "StatusBar", "Keyboard"]

    /// Scaffolding. What has a name is there to be touched; an app's own element has one, and is not. Nor is what tells how
    /// far a view is scrolled: it has the view's whole height, and says a percentage.
    private static func isSeeThrough(_ node: Node) -> Bool {
        switch node.type {
        case "Application": return true
        case "Window": return node.label.isEmpty
        case "Other": return node.label.isEmpty || node.children.isEmpty && node.value.hasSuffix("%")
        default: return false
        }
    }

    private static func isModal(_ node: Node) -> Bool {
        modal.contains(node.type) || node.children.contains(where: isModal)
    }

    /// A node, or something in it, takes a touch at a point.
    private static func covers(_ node: Node, _ point: Point) -> Bool {
        if modal.contains(node.type) || node.frame.contains(point) && !isSeeThrough(node) { return true }
        if node.clips, !node.frame.contains(point) { return false }
        return node.children.contains { covers($0, point) }
    }
}
