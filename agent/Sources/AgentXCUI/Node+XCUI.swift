import Foundation
import XCTest

extension Node {
    /// A snapshot of XCUITest, with all below it. Whether each element has the keyboard focus is asked only if `focus` says so.
    @MainActor
    init(_ it: any XCUIElementSnapshot, focus: Bool) {
        self.init(
            ElementType.name(of: it.elementType.rawValue), identifier: it.identifier, label: it.label,
            value: elementValue(it.value), placeholder: it.placeholderValue ?? "", frame: Rect(it.frame))
        (enabled, selected) = (it.isEnabled, it.isSelected)
        focused = focus && PrivateKey.hasKeyboardFocus.flag(it as AnyObject)
        children = it.children.map { Node($0, focus: focus) }
    }

    /// An element around many others, without them. Each attribute of an element is a question to the app; such a one has
    /// no value, is not selected and does not have the focus.
    @MainActor
    init(container it: XCUIElement) {
        self.init(
            ElementType.name(of: it.elementType.rawValue), identifier: it.identifier, label: it.label,
            frame: Rect(it.frame))
    }
}

extension Rect {
    init(_ frame: CGRect) {
        self.init(
            x: Double(frame.origin.x), y: Double(frame.origin.y), width: Double(frame.size.width),
            height: Double(frame.size.height))
    }
}

extension AppState {
    init(_ state: XCUIApplication.State) {
        switch state {
        case .notRunning: self = .notRunning
        case .runningBackgroundSuspended: self = .suspended
        case .runningBackground: self = .runningBackground
        case .runningForeground: self = .runningForeground
        default: self = .unknown
        }
    }
}
