#if DEBUG
    import Foundation
    import IdentifierScheme

    /// The identifiers on the screen, as views come and go. One that stands there twice is told, once.
    final class Register {
        @MainActor static let shared = Register { NSLog("%@", $0) }

        private var shown: [String] = []
        private var told: Set<String> = []
        private let tell: (String) -> Void

        init(tell: @escaping (String) -> Void) { self.tell = tell }

        func appear(_ identifier: String) { shown.append(identifier) }

        func disappear(_ identifier: String) {
            if let place = shown.lastIndex(of: identifier) { shown.remove(at: place) }
        }

        /// Tells what stands there twice. To be called when no screen is on its way in or out.
        func check() { check(shown) }

        /// Tells which of the identifiers there are twice.
        func check(_ identifiers: [String]) {
            for identifier in Scheme.duplicates(in: identifiers) where told.insert(identifier).inserted {
                tell(
                    "AgentIdentifiers: \(identifier) is on the screen more than once, so that no agent can tell which is meant. "
                        + "In a list, say whose it is: .identified(by: item.id)")
            }
        }
    }
#endif
