import XCTest

@testable import IdentifierScheme

final class SchemeTests: XCTestCase {
    func testTheScreenIsTheTypeWithoutItsSuffix() {
        let screens = [
            "LoginView": "login", "LoginScreen": "login", "LoginViewController": "login", "LoginController": "login",
            "Login": "login", "ShoppingCartView": "shoppingCart", "CartRow": "cartRow",
            "LoginScreenView": "loginScreen", "URLView": "url", "URLSessionView": "urlSession", "HTTP2View": "http2",
            "ABTestScreen": "abTest", "XView": "x", "QR": "qr", "iPadView": "iPad", "ÜbersichtView": "übersicht",
            "Row<Int>": "row", "Shop.Cart.RowView": "row",
            // A type that is nothing but a suffix keeps its name.
            "View": "view", "Screen": "screen", "ViewController": "view", "Controller": "controller",
        ]
        for (type, screen) in screens { XCTAssertEqual(Scheme.screen(ofType: type), screen, type) }
    }

    func testAnIdentifierEndsInItsKey() {
        XCTAssertEqual(Scheme.identifier(screen: "login", element: "submit"), "login.submit")
        XCTAssertEqual(Scheme.identifier(screen: "cart", element: "remove", key: "42"), "cart.remove[42]")
        XCTAssertEqual(Scheme.keyed("cart.remove[42]", by: "43"), "cart.remove[43]")
        XCTAssertEqual(Scheme.keyed("cart.remove[42]", by: nil), "cart.remove[42]")
        XCTAssertEqual(Scheme.unkeyed("cart.remove[a.b]"), "cart.remove")
        XCTAssertEqual(Scheme.unkeyed("cart.remove"), "cart.remove")
        XCTAssertEqual(Scheme.joined(Scheme.joined(nil, "7"), "2"), "7.2")
    }

    func testAKeyHasNoOtherCharacters() {
        let keys = [
            "42": "42", "A-b_c.9": "A-b_c.9", "a b": "a_b", "x[1]": "x_1_", "grün": "gr_n", "👍🏽": "_", "": "",
            "e\u{301}": "_", "\r\n": "_", "٣": "_",
        ]
        for (key, clean) in keys { XCTAssertEqual(Scheme.cleaned(key), clean, key) }
    }

    func testScreensThatADeveloperNames() {
        XCTAssertTrue(Scheme.isScreen("cart-2"))
        for wrong in ["", "my cart", "a.b", "a[1]", "ü"] { XCTAssertFalse(Scheme.isScreen(wrong), wrong) }
    }

    func testReflectionHasOtherNamesForSomeProperties() {
        let labels = [
            "submit": "submit", "$__lazy_storage_$_submit": "submit", "_email": "email", "_": "_",
            "`default`": "default",
        ]
        for (label, element) in labels { XCTAssertEqual(Scheme.element(ofStored: label), element, label) }
    }

    func testDuplicatesAreToldOnce() {
        XCTAssertEqual(Scheme.duplicates(in: ["b", "a", "b", "c", "a", "b"]), ["a", "b"])
        XCTAssertEqual(Scheme.duplicates(in: ["a", "b"]), [])
    }
}
