/// A number that only grows, until it is reset.
struct Counter {
    private(set) var value = 0

    mutating func increment(by step: Int = 1) {
        guard step > 0 else { return }
        value += step
    }

    mutating func reset() {
        value = 0
    }

    func formatted() -> String { // virtual: uncovered
        "\(value)"
    }
}
