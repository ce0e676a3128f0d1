/// Writes JSON. It is done by hand because a tree has thousands of nodes, and keys are left out where they say what is
/// usual.
struct JSON {
    private(set) var text = ""

    static func tree(_ roots: [Node]) -> String {
        var json = JSON()
        json.array(roots)
        return json.text
    }

    static func element(_ node: Node?, hittable: Bool? = nil) -> String {
        guard let node else { return "null" }
        var json = JSON()
        json.node(node, hittable: hittable)
        return json.text
    }

    /// An object of strings, keys in the order given.
    static func object(_ pairs: KeyValuePairs<String, String>) -> String {
        var json = JSON()
        json.text += "{"
        for (i, pair) in pairs.enumerated() {
            json.text += i == 0 ? "" : ","
            json.string(pair.key)
            json.text += ":"
            json.string(pair.value)
        }
        json.text += "}"
        return json.text
    }

    static func alert(title: String, text: String, buttons: [String], source: String) -> String {
        "{\"title\":\(quoted(title)),\"text\":\(quoted(text)),"
            + "\"buttons\":[\(buttons.map(quoted).joined(separator: ","))],\"source\":\(quoted(source))}"
    }

    static func quoted(_ value: String) -> String {
        var json = JSON()
        json.string(value)
        return json.text
    }

    private mutating func array(_ nodes: [Node]) {
        text += "["
        for (i, node) in nodes.enumerated() {
            text += i == 0 ? "" : ","
            self.node(node, hittable: nil)
        }
        text += "]"
    }

    private mutating func node(_ node: Node, hittable: Bool?) {
        text += "{"
        pair("AXUniqueId", node.identifier)
        pair("AXLabel", node.label)
        pair("AXValue", node.value)
        pair("placeholder", node.placeholder)
        if let hittable { text += "\"hittable\":\(hittable)," }
        if !node.enabled { text += "\"enabled\":false," }
        if node.selected { text += "\"selected\":true," }
        if node.focused { text += "\"focused\":true," }
        if node.type == "SecureTextField" { text += "\"secure\":true," }
        text += "\"type\":"
        string(node.type)
        text += ",\"frame\":{\"x\":\(finite(node.frame.x)),\"y\":\(finite(node.frame.y))"
        text += ",\"width\":\(finite(node.frame.width)),\"height\":\(finite(node.frame.height))},\"children\":"
        array(node.children)
        text += "}"
    }

    private mutating func pair(_ key: String, _ value: String) {
        guard !value.isEmpty else { return }
        text += "\"\(key)\":"
        string(value)
        text += ","
    }

    private mutating func string(_ value: String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    /// Keeps an odd frame from spoiling a whole tree: JSON has no infinity.
    private func finite(_ value: Double) -> Double { value.isFinite ? value : 0 }
}
