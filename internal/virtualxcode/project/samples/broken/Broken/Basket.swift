/// What the customer is about to pay.
struct Basket {
    var price = 12.5
    var pieces = 2

    var summary: String {
        let unused = pieces // virtual: warning: initialization of immutable value 'unused' was never used; consider replacing with assignment to '_' or removing it
        return "\(pieces) for \(pricee)" // virtual: error: cannot find 'pricee' in scope
    }
}
