#if canImport(UIKit) && !os(watchOS)
    #if DEBUG
        import IdentifierScheme
    #endif
    import UIKit

    // What an app writes itself. Without DEBUG nothing happens.
    extension UIViewController {
        #if DEBUG
            /// Gives each view and bar button that is a stored property of the controller, and has no identifier, that of the controller's
            /// and the property's name: `submit` of `LoginViewController` is `login.submit`. To be called in `viewDidLoad`.
            public func identifyElements() {
                Identification(of: self, on: agentScreen, by: nil).apply()
                // Later, so that what is still to be added to the view is there.
                Task { Register.shared.check(view.identifiersInside.map(\.identifier)) }
            }

            fileprivate var agentScreen: String { Scheme.screen(ofType: String(describing: type(of: self))) }
        #else
            @inlinable public func identifyElements() {}
        #endif
    }

    extension UIView {
        #if DEBUG
            /// The same for a view and its stored properties.
            public func identifyElements() {
                Identification(of: self, on: Scheme.screen(ofType: String(describing: type(of: self))), by: nil).apply()
            }

            /// The same for a cell of a controller's list: it becomes `cart.cell[42]`, and its property `remove` `cart.remove[42]`. To
            /// be called each time the cell gets an item: identifiers of the item before are replaced.
            public func identifyElements<Key: Hashable>(of controller: UIViewController, by key: Key) {
                let cell = Identification(of: self, on: controller.agentScreen, by: "\(key)")
                cell.apply()
                cell.set(self, to: "cell")
            }
        #else
            @inlinable public func identifyElements() {}
            @inlinable public func identifyElements<Key: Hashable>(of controller: UIViewController, by key: Key) {}
        #endif
    }

    #if DEBUG
        /// Sets the identifiers of what an object has as stored properties.
        @MainActor
        private struct Identification {
            let object: AnyObject
            let screen: String
            let key: String?

            init(of object: AnyObject, on screen: String, by key: String?) {
                (self.object, self.screen, self.key) = (object, screen, key)
            }

            func apply() {
                for property in StoredProperty.all(of: object) {
                    let place = property.key.map { Scheme.joined(key, $0) } ?? key
                    if let view = property.value as? UIView {
                        set(view, to: property.element, key: place)
                    } else if let item = property.value as? UIBarItem {
                        set(item, to: property.element, key: place)
                    }
                }
            }

            func set(_ view: UIView, to element: String) { set(view, to: element, key: key) }

            /// What has an identifier keeps it, unless it is the same but for its key.
            private func set(_ one: some UIAccessibilityIdentification, to element: String, key: String?) {
                let identifier = Scheme.identifier(screen: screen, element: element, key: key)
                let has = one.accessibilityIdentifier ?? ""
                if has.isEmpty || Scheme.unkeyed(has) == Scheme.unkeyed(identifier) {
                    one.accessibilityIdentifier = identifier
                }
            }
        }
    #endif
#endif
