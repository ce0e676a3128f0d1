#if DEBUG
    import IdentifierScheme

    /// A stored property that holds something, or one place of one that holds several things.
    struct StoredProperty {
        let element: String
        let key: String?  // the place among several
        let value: Any

        /// Those of an object, also those that its superclasses declare, the subclass's first.
        static func all(of object: Any) -> [StoredProperty] {
            sequence(first: Mirror(reflecting: object), next: \.superclassMirror).flatMap { mirror in
                mirror.children.flatMap { child -> [StoredProperty] in
                    guard let label = child.label, let value = unwrapped(child.value) else { return [] }
                    let element = Scheme.element(ofStored: label)
                    guard Mirror(reflecting: value).displayStyle == .collection, let several = value as? [Any] else {
                        return [StoredProperty(element: element, key: nil, value: value)]
                    }
                    return several.enumerated().compactMap { place, one in
                        unwrapped(one).map { StoredProperty(element: element, key: "\(place)", value: $0) }
                    }
                }
            }
        }

        /// What an optional holds, however deep: a weak or lazy property is one too.
        private static func unwrapped(_ value: Any) -> Any? {
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .optional else { return value }
            return mirror.children.first.flatMap { unwrapped($0.value) }
        }
    }
#endif
