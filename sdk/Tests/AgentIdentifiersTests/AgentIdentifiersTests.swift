import XCTest

@testable import AgentIdentifiers

final class AgentIdentifiersTests: XCTestCase {
    func testLaunchArguments() {
        XCTAssertEqual(LaunchArguments(["app"]), LaunchArguments([]))
        XCTAssertFalse(LaunchArguments([]).noAnimations)
        XCTAssertTrue(LaunchArguments(["app", "-AgentNoAnimations"]).noAnimations)
        XCTAssertTrue(LaunchArguments(["app", "-AgentNoAnimations", "YES"]).noAnimations)
        XCTAssertTrue(LaunchArguments(["app", "-AgentNoAnimations", "-AgentShowIdentifiers"]).showIdentifiers)
        XCTAssertFalse(LaunchArguments(["app", "-AgentNoAnimations"]).showIdentifiers)
        for no in ["NO", "false", "0"] { XCTAssertFalse(LaunchArguments(["-AgentNoAnimations", no]).noAnimations, no) }
    }

    func testAnIdentifierThatIsThereTwiceIsToldOnce() {
        var told: [String] = []
        let register = Register { told.append($0) }
        register.appear("cart.remove")
        register.appear("cart.pay")
        register.check()
        XCTAssertEqual(told, [])
        register.appear("cart.remove")
        register.check()
        register.check()
        XCTAssertEqual(told.count, 1)
        XCTAssertTrue(told[0].contains("cart.remove is on the screen more than once"), told[0])
        register.check(["a", "b", "a"])
        XCTAssertEqual(told.count, 2)
    }

    func testAScreenThatFollowsOneOfItsKindIsNoDuplicate() {
        var told: [String] = []
        let register = Register { told.append($0) }
        register.appear("item.buy")
        register.appear("item.buy")
        register.disappear("item.buy")
        register.disappear("item.gone")
        register.check()
        XCTAssertEqual(told, [])
    }

    private class Button {}
    private class Base {
        let close: Button? = Button()
    }
    private final class Cart: Base {
        let pay = Button()
        var missing: Button?
        weak var owner: Button?
        lazy var coupon = Button()
        lazy var unused = Button()
        let sizes: [Button?] = [Button(), nil, Button()]
        let `default`: Button?? = Button()
        let count = 3
    }

    func testStoredProperties() {
        let (cart, owner) = (Cart(), Button())
        cart.owner = owner
        _ = cart.coupon
        let all = StoredProperty.all(of: cart).filter { $0.value is Button }
        XCTAssertEqual(
            all.map { $0.element + ($0.key.map { "[\($0)]" } ?? "") },
            ["pay", "owner", "coupon", "sizes[0]", "sizes[2]", "default", "close"])
        XCTAssertTrue(all[0].value as? Button === cart.pay)
        XCTAssertNotNil(all[5].value as? Button, "an optional of an optional")
    }
}
