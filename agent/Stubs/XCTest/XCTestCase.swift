// Apple's signatures, as its documentation gives them, of what AgentXCUI uses of XCTest: for type-checking only. Code that
// passes agrees with this file; whether this file agrees with Apple, only Xcode can tell.

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
