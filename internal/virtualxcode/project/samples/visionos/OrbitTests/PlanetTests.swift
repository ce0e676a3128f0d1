import XCTest
@testable import Orbit

final class PlanetTests: XCTestCase {
    func testCapture() {
        var planet = Planet()
        planet.capture()
        XCTAssertEqual(planet.moons, 2)
    }
}
