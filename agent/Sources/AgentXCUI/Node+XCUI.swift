import Foundation
import XCTest

extension Node {
    /// A snapshot of XCUITest, with all below it. Whether each element has the keyboard focus is asked only if `focus` says so.
    @MainActor
    init(_ snapshot: any XCUIElementSnapshot, focus: Bool) {
        self.init(alone: snapshot, focus: focus)
        children = snapshot.children.map { Node($0, focus: focus) }
    }

    /// An element or a snapshot of one, without what is below it.
    @MainActor
    init(alone it: any XCUIElementAttributes, focus: Bool) {
        self.init(
            ElementType.name(of: it.elementType.rawValue), identifier: it.identifier, label: it.label,
            value: elementValue(it.value), placeholder: it.placeholderValue ?? "", frame: Rect(it.frame))
        (enabled, selected) = (it.isEnabled, it.isSelected)
        focused = focus && PrivateKey.hasKeyboardFocus.flag(it as AnyObject)
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
