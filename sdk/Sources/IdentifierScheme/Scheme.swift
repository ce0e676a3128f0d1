/// How identifiers are made: `<screen>.<element>`, in a list `<screen>.<element>[<key>]`. docs/identifiers.md says why. The
/// macro asks it while an app is compiled, the helper of UIKit while it runs.
public enum Scheme {
    /// The longer ones first: of `CartViewController` no `View` is left.
    private static let suffixes = ["ViewController", "Controller", "Screen", "View"]

    /// The screen of a type: its name without generic arguments, outer types and suffix, beginning in lower case.
    public static func screen(ofType name: String) -> String {
        var name = name.prefix { $0 != "<" }
        if let dot = name.lastIndex(of: ".") { name = name[name.index(after: dot)...] }
        let suffix = suffixes.first { name.hasSuffix($0) && name.count > $0.count } ?? ""
        return lowerFirst(String(name.dropLast(suffix.count)))
    }

    /// Puts the first word into lower case: `Login` becomes `login`, `URLSession` `urlSession`, and `URL` `url`.
    static func lowerFirst(_ name: String) -> String {
        let capitals = name.prefix { $0.isUppercase }
        let rest = name.dropFirst(capitals.count)
        // The last of several capitals before a small letter begins the second word.
        let first = capitals.count > 1 && rest.first?.isLowercase == true ? capitals.dropLast() : capitals
        return first.lowercased() + name.dropFirst(first.count)
    }

    public static func identifier(screen: String, element: String, key: String? = nil) -> String {
        keyed("\(screen).\(element)", by: key)
    }

    /// The identifier of one of many: with the key, if there is one, in place of the key it has.
    public static func keyed(_ identifier: String, by key: String?) -> String {
        guard let key else { return identifier }
        return "\(unkeyed(identifier))[\(cleaned(key))]"
    }

    /// The identifier without its key.
    public static func unkeyed(_ identifier: String) -> String {
        guard identifier.last == "]", let open = identifier.firstIndex(of: "[") else { return identifier }
        return String(identifier[..<open])
    }

    /// The key of a list in a list: that of the outer one, then that of the inner one.
    public static func joined(_ outer: String?, _ inner: String) -> String {
        outer.map { "\($0).\(inner)" } ?? inner
    }

    /// A key with `_` for every character that identifiers do not have.
    public static func cleaned(_ key: String) -> String {
        String(key.map { isPlain($0) ? $0 : "_" })
    }

    /// Whether a developer may call a screen so.
    public static func isScreen(_ name: String) -> Bool {
        !name.isEmpty && name.allSatisfy { isPlain($0) && $0 != "." }
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "_.-".contains(character))
    }

    /// The element of a stored property, by the name that reflection has for it: that of a lazy one, of one in backticks,
    /// and of a property wrapper's storage differ from what the developer wrote.
    public static func element(ofStored label: String) -> String {
        let lazy = "$__lazy_storage_$_"
        if label.hasPrefix(lazy) { return String(label.dropFirst(lazy.count)) }
        return element(ofDeclared: label.hasPrefix("_") && label.count > 1 ? String(label.dropFirst()) : label)
    }

    /// The element of a property as it stands in the source.
    public static func element(ofDeclared name: String) -> String {
        String(name.filter { $0 != "`" })
    }

    /// What stands more than once, each once, in order.
    public static func duplicates(in identifiers: [String]) -> [String] {
        Dictionary(grouping: identifiers) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
    }
}
