import AgentCore

/// Lays elements out one below the other, as the screens of the simulated app do.
struct Screen {
    static let size = Rect(width: 390, height: 844)
    static let content = Rect(y: 91, width: 390, height: 670)
    static let keyboard = Rect(y: 510, width: 390, height: 334)

    private var y = Screen.content.y + 8
    private(set) var nodes: [Node] = []

    mutating func add(
        _ type: String, _ identifier: String = "", label: String = "", value: String = "", placeholder: String = "",
        height: Double = 44, focused: Bool = false, children: (Rect) -> [Node] = { _ in [] }
    ) {
        let frame = Rect(x: 16, y: y, width: 358, height: height)
        var node = Node(
            type, identifier: identifier, label: label, value: value, placeholder: placeholder, frame: frame,
            children: children(frame))
        node.focused = focused
        nodes.append(node)
        y += height + 8
    }
}
