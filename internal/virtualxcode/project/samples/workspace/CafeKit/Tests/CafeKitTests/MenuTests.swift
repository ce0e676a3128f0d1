import Testing
@testable import CafeKit

@Test func standardMenuHasEspresso() {
    #expect(Menu.standard.drinks.contains("Espresso"))
}
