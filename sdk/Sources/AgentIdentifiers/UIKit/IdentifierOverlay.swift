#if canImport(UIKit) && !os(watchOS) && DEBUG
    import UIKit

    extension UIView {
        /// The views inside that can be seen and have an identifier.
        var identifiersInside: [(view: UIView, identifier: String)] {
            subviews.filter { !$0.isHidden && $0.alpha > 0 }.flatMap { view in
                let own = view.accessibilityIdentifier.flatMap { $0.isEmpty ? nil : (view, $0) }
                return (own.map { [$0] } ?? []) + view.identifiersInside
            }
        }
    }

    /// Lies over a window and draws the identifiers over the views that have one. Neither a finger nor accessibility finds it.
    final class IdentifierOverlay: UIView {
        private var timer: Timer?

        static func show(in window: UIWindow) {
            guard !window.subviews.contains(where: { $0 is IdentifierOverlay }) else { return }
            window.addSubview(IdentifierOverlay(frame: window.bounds))
        }

        override init(frame: CGRect) {
            super.init(frame: frame)
            autoresizingMask = [.flexibleWidth, .flexibleHeight]
            backgroundColor = nil
            isOpaque = false
            isUserInteractionEnabled = false
            accessibilityElementsHidden = true
        }

        required init?(coder: NSCoder) { nil }

        /// Nothing tells of every change of a window: it is looked at four times a second, as long as the overlay is there.
        override func didMoveToWindow() {
            super.didMoveToWindow()
            timer?.invalidate()
            guard window != nil else { return }
            timer = Timer.scheduledTimer(withTimeInterval: 0.25, repeats: true) { [weak self] _ in
                MainActor.assumeIsolated { self?.look() }
            }
        }

        private func look() {
            superview?.bringSubviewToFront(self)
            setNeedsDisplay()
        }

        override func draw(_ rect: CGRect) {
            let style: [NSAttributedString.Key: Any] = [
                .font: UIFont.monospacedSystemFont(ofSize: 9, weight: .regular), .foregroundColor: UIColor.white,
                .backgroundColor: UIColor.systemPink,
            ]
            UIColor.systemPink.setStroke()
            for (view, identifier) in window?.identifiersInside ?? [] {
                let frame = convert(view.bounds, from: view)
                UIBezierPath(rect: frame).stroke()
                NSString(string: identifier).draw(at: frame.origin, withAttributes: style)
            }
        }
    }
#endif
