/// What a cafe serves.
public struct Menu {
    public let drinks: [String]

    public static let standard = Menu(drinks: ["Espresso", "Filter coffee"])
}
