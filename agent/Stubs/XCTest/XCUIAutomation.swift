// Apple's signatures of XCUIAutomation; see XCTestCase.swift.

import Foundation
import UIKit

@MainActor public protocol XCUIElementAttributes {
    var identifier: String { get }
    var frame: CGRect { get }
    var value: Any? { get }
    var title: String { get }
    var label: String { get }
    var elementType: XCUIElement.ElementType { get }
    var isEnabled: Bool { get }
    var placeholderValue: String? { get }
    var isSelected: Bool { get }
}

@MainActor public protocol XCUIElementSnapshot: XCUIElementAttributes {
    var children: [any XCUIElementSnapshot] { get }
    var dictionaryRepresentation: [XCUIElement.AttributeName: Any] { get }
}

@MainActor public protocol XCUIElementSnapshotProviding: NSObjectProtocol {
    func snapshot() throws -> any XCUIElementSnapshot
}

@MainActor public protocol XCUIElementTypeQueryProvider {
    var alerts: XCUIElementQuery { get }
    var icons: XCUIElementQuery { get }
    var keyboards: XCUIElementQuery { get }
    var sheets: XCUIElementQuery { get }
}

@MainActor
open class XCUIElement: NSObject, XCUIElementAttributes, XCUIElementSnapshotProviding,
    XCUIElementTypeQueryProvider
{
    public enum ElementType: UInt, Sendable {
        case any = 0
        case other = 1
        case application = 2
        case alert = 7
        case button = 9
        case keyboard = 19
        case textField = 49
    }
    public struct AttributeName: Hashable, RawRepresentable, Sendable {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public struct KeyModifierFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var shift: KeyModifierFlags { fatalError() }
        public static var control: KeyModifierFlags { fatalError() }
        public static var option: KeyModifierFlags { fatalError() }
        public static var command: KeyModifierFlags { fatalError() }
    }

    open var identifier: String { fatalError() }
    open var frame: CGRect { fatalError() }
    open var value: Any? { fatalError() }
    open var title: String { fatalError() }
    open var label: String { fatalError() }
    open var elementType: ElementType { fatalError() }
    open var isEnabled: Bool { fatalError() }
    open var placeholderValue: String? { fatalError() }
    open var isSelected: Bool { fatalError() }

    open var exists: Bool { fatalError() }
    open var isHittable: Bool { fatalError() }
    open var alerts: XCUIElementQuery { fatalError() }
    open var icons: XCUIElementQuery { fatalError() }
    open var keyboards: XCUIElementQuery { fatalError() }
    open var sheets: XCUIElementQuery { fatalError() }

    open func snapshot() throws -> any XCUIElementSnapshot { fatalError() }
    open func waitForExistence(timeout: TimeInterval) -> Bool { fatalError() }
    open func children(matching type: ElementType) -> XCUIElementQuery { fatalError() }
    open func descendants(matching type: ElementType) -> XCUIElementQuery { fatalError() }
    open func coordinate(withNormalizedOffset normalizedOffset: CGVector) -> XCUICoordinate { fatalError() }
    open func typeText(_ text: String) {}
    open func typeKey(_ key: String, modifierFlags flags: KeyModifierFlags) {}
    open func tap() {}
    open func pinch(withScale scale: CGFloat, velocity: CGFloat) {}
    open func adjust(toNormalizedSliderPosition normalizedSliderPosition: CGFloat) {}
    open func adjust(toPickerWheelValue pickerWheelValue: String) {}
}

@MainActor open class XCUIElementQuery: NSObject {
    open var count: Int { fatalError() }
    open var firstMatch: XCUIElement { fatalError() }
    open var allElementsBoundByIndex: [XCUIElement] { fatalError() }
    open func element(boundBy index: Int) -> XCUIElement { fatalError() }
    open func matching(_ predicate: NSPredicate) -> XCUIElementQuery { fatalError() }
}

@MainActor open class XCUICoordinate: NSObject {
    open func withOffset(_ offsetVector: CGVector) -> XCUICoordinate { fatalError() }
    open func tap() {}
    open func doubleTap() {}
    open func press(forDuration duration: TimeInterval) {}
    open func press(
        forDuration duration: TimeInterval, thenDragTo otherCoordinate: XCUICoordinate,
        withVelocity velocity: XCUIGestureVelocity, thenHoldForDuration holdDuration: TimeInterval
    ) {}
}

public struct XCUIGestureVelocity: Hashable, RawRepresentable, Sendable {
    public var rawValue: CGFloat
    public init(rawValue: CGFloat) { self.rawValue = rawValue }
    public init(_ rawValue: CGFloat) { self.rawValue = rawValue }
    public static var `default`: XCUIGestureVelocity { fatalError() }
}

@MainActor open class XCUIApplication: XCUIElement {
    public enum State: UInt, Sendable {
        case unknown = 0
        case notRunning = 1
        case runningBackgroundSuspended = 2
        case runningBackground = 3
        case runningForeground = 4
    }
    public init(bundleIdentifier: String) { super.init() }
    open var state: State { fatalError() }
}

public struct XCUIKeyboardKey: Hashable, RawRepresentable, Sendable {
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static var `return`: XCUIKeyboardKey { fatalError() }
    public static var delete: XCUIKeyboardKey { fatalError() }
    public static var tab: XCUIKeyboardKey { fatalError() }
    public static var space: XCUIKeyboardKey { fatalError() }
    public static var escape: XCUIKeyboardKey { fatalError() }
    public static var forwardDelete: XCUIKeyboardKey { fatalError() }
    public static var upArrow: XCUIKeyboardKey { fatalError() }
    public static var downArrow: XCUIKeyboardKey { fatalError() }
    public static var leftArrow: XCUIKeyboardKey { fatalError() }
    public static var rightArrow: XCUIKeyboardKey { fatalError() }
    public static var home: XCUIKeyboardKey { fatalError() }
    public static var end: XCUIKeyboardKey { fatalError() }
    public static var pageUp: XCUIKeyboardKey { fatalError() }
    public static var pageDown: XCUIKeyboardKey { fatalError() }
}

@MainActor open class XCUIDevice: NSObject {
    public enum Button: Int, Sendable {
        case home = 1
        case volumeUp = 2
        case volumeDown = 3
        case action = 4
        case camera = 5
    }
    public class var shared: XCUIDevice { fatalError() }
    open var orientation: UIDeviceOrientation {
        get { fatalError() }
        set {}
    }
    open func press(_ button: Button) {}
    open func hasHardwareButton(_ button: Button) -> Bool { fatalError() }
}

@MainActor open class XCUIScreen: NSObject {
    public class var main: XCUIScreen { fatalError() }
    open func screenshot() -> XCUIScreenshot { fatalError() }
}

@MainActor open class XCUIScreenshot: NSObject {
    open var pngRepresentation: Data { fatalError() }
}
