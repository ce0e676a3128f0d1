import Foundation

/// What accessibility says an element's value is, as text. A switch or slider may say a number; losing it would make its
/// state invisible.
public func elementValue(_ raw: Any?) -> String {
    switch raw {
    case nil, is NSNull: return ""
    case let text as String: return text
    case let flag as Bool where !(raw is Int) && !(raw is Double): return flag ? "1" : "0"
    case let number as NSNumber: return number.stringValue
    case let text as NSAttributedString: return text.string
    case let other?: return String(describing: other)
    }
}
