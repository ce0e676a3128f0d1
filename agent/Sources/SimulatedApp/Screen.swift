import AgentCore

/// Lays elements out one below the other, as the screens of the simulated app do.
struct Screen {
    static let portrait = Rect(width: 390, height: 844)
    static let landscape = Rect(width: 844, height: 390)
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

/// Questions, of the app or of the system.
enum Dialog {
    static func node(_ type: String, title: String, text: String, buttons: [String], names: [String] = []) -> Node {
        var y = 340.0
        func next(_ type: String, _ name: String, _ label: String) -> Node {
            defer { y += 44 }
            return Node(type, identifier: name, label: label, frame: Rect(x: 60, y: y, width: 270, height: 44))
        }
        var children = [next("StaticText", "", title)]
        if !text.isEmpty { children.append(next("StaticText", "", text)) }
        for (i, label) in buttons.enumerated() {
            children.append(next("Button", i < names.count ? names[i] : "", label))
        }
        return Node(
            type, label: title, frame: Rect(x: 60, y: 340, width: 270, height: y - 340), children: children)
    }
}
