/// Which element of an app: its type, and its number among the elements of that type in document order. A control need
/// not have a name, and XCTest finds it by this all the same.
public struct Place: Equatable, Sendable {
    public var type: String
    public var index: Int

    public init(type: String, index: Int) { (self.type, self.index) = (type, index) }
}

extension Node {
    /// Shows only that part of what is in it that lies in its own frame.
    public var clips: Bool { ["ScrollView", "Table", "CollectionView", "WebView"].contains(type) }

    /// The innermost element at a point that fits, the one drawn last if there are several. The app's own element is not
    /// among its descendants.
    func element(at point: Point, where fits: (Node) -> Bool) -> (node: Node, place: Place)? {
        var seen: [String: Int] = [:]
        var best: (Node, Place)?
        func walk(_ node: Node, shown: Bool) {
            for child in node.children {
                let index = seen[child.type, default: 0]
                seen[child.type] = index + 1
                let inside = child.frame.contains(point)
                if shown, inside, fits(child) { best = (child, Place(type: child.type, index: index)) }
                walk(child, shown: shown && (inside || !child.clips))
            }
        }
        walk(self, shown: true)
        return best
    }

    /// The place of an element that is called so, at that frame.
    func place(of element: Node) -> Place? {
        var index = 0
        let path = path(after: 0) {
            guard $0.type == element.type else { return false }
            if $0.identifier == element.identifier, $0.label == element.label, $0.frame == element.frame { return true }
            index += 1
            return false
        }
        return path == nil ? nil : Place(type: element.type, index: index)
    }

    /// The way from the root down to a place; nil if there is none.
    public func path(to place: Place) -> [Node]? { path(after: place.index) { $0.type == place.type } }

    /// The way down to a descendant that fits, in document order, after so many others that do.
    func path(after others: Int, where fits: (Node) -> Bool) -> [Node]? {
        var left = others
        func walk(_ path: [Node]) -> [Node]? {
            for child in path[path.count - 1].children {
                let here = path + [child]
                if fits(child) {
                    if left == 0 { return here }
                    left -= 1
                }
                if let found = walk(here) { return found }
            }
            return nil
        }
        return walk([self])
    }

    /// How many descendants fit.
    func descendants(where fits: (Node) -> Bool) -> Int {
        children.reduce(0) { $0 + (fits($1) ? 1 : 0) + $1.descendants(where: fits) }
    }
}
