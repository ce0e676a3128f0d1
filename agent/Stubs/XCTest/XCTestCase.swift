// Apple's signatures of what AgentXCUI uses of XCTest: for type-checking only. They were compared with Apple's documentation of
// XCTest and XCUIAutomation (Xcode 16.3 and newer), and the selectors and raw values of what macOS has too with bindings that
// others generate from Xcode's headers. Code that passes agrees with this file; the last word is Xcode's.

@_exported import Foundation

open class XCTestCase: NSObject {
    open var continueAfterFailure: Bool {
        get { fatalError() }
        set {}
    }
    open class func setUp() {}
    open func setUp() {}
    open func record(_ issue: XCTIssue) {}
    open func expectation(description: String) -> XCTestExpectation { fatalError() }
    open func wait(for expectations: [XCTestExpectation], timeout seconds: TimeInterval) {}
}

open class XCTestExpectation: NSObject, @unchecked Sendable {
    open func fulfill() {}
}

public struct XCTIssue {
    public var compactDescription: String
}

// What Apple's Foundation has and Linux's has not.

public struct CGVector: Equatable, Sendable {
    public var dx: CGFloat
    public var dy: CGFloat
    public init(dx: Double, dy: Double) { (self.dx, self.dy) = (CGFloat(dx), CGFloat(dy)) }
}

extension NSPredicate {
    public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) { fatalError() }
}
