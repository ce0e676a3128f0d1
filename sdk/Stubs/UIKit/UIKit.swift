// Signatures of UIKit that the SDK uses, as Apple's documentation has them. Views keep what they are given, and nothing is drawn.
@_exported import Foundation

@MainActor public protocol UIAccessibilityIdentification: NSObjectProtocol {
    var accessibilityIdentifier: String? { get set }
}

@MainActor open class UIResponder: NSObject {}

open class CALayer {
    open var speed: Float = 1
}

open class UIView: UIResponder, UIAccessibilityIdentification {
    public struct AutoresizingMask: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let flexibleWidth = AutoresizingMask(rawValue: 2)
        public static let flexibleHeight = AutoresizingMask(rawValue: 16)
    }
    public init(frame: CGRect) { self.frame = frame }
    public required init?(coder: NSCoder) { nil }
    override public convenience init() { self.init(frame: .zero) }
    open var frame: CGRect
    open var bounds: CGRect { frame }
    open private(set) var subviews: [UIView] = []
    open private(set) weak var superview: UIView?
    open var window: UIWindow? { superview?.window }
    public let layer = CALayer()
    open var isHidden = false
    open var alpha: CGFloat = 1
    open var isOpaque = true
    open var isUserInteractionEnabled = true
    open var backgroundColor: UIColor?
    open var autoresizingMask: AutoresizingMask = []
    open var accessibilityIdentifier: String?
    open var accessibilityElementsHidden = false
    open class func setAnimationsEnabled(_ enabled: Bool) {}
    open func addSubview(_ view: UIView) {
        subviews.append(view)
        view.superview = self
    }
    open func bringSubviewToFront(_ view: UIView) {}
    open func didMoveToWindow() {}
    open func setNeedsDisplay() {}
    open func draw(_ rect: CGRect) {}
    open func convert(_ rect: CGRect, from view: UIView?) -> CGRect { rect }
}
open class UIButton: UIView {}
open class UITextField: UIView {}
open class UITableViewCell: UIView {}

open class UIWindow: UIView {
    public class var didBecomeVisibleNotification: NSNotification.Name {
        NSNotification.Name("UIWindowDidBecomeVisible")
    }
    override open var window: UIWindow? { self }
}

open class UIViewController: UIResponder {
    public init(nibName: String?, bundle: Bundle?) {}
    override public convenience init() { self.init(nibName: nil, bundle: nil) }
    open var view: UIView! = UIView(frame: .zero)
    open func viewDidLoad() {}
}

@MainActor open class UIBarItem: NSObject, UIAccessibilityIdentification {
    open var accessibilityIdentifier: String?
}
open class UIBarButtonItem: UIBarItem {}

open class UIScene: UIResponder {}
open class UIWindowScene: UIScene {
    open var windows: [UIWindow] { [] }
}
open class UIApplication: UIResponder {
    open class var shared: UIApplication { UIApplication() }
    open var connectedScenes: Set<UIScene> { [] }
}

public final class UIColor: Sendable {
    public static let systemPink = UIColor()
    public static let white = UIColor()
    public func setStroke() {}
}
public final class UIFont: Sendable {
    public struct Weight: Sendable {
        public static let regular = Weight()
    }
    public class func monospacedSystemFont(ofSize size: CGFloat, weight: Weight) -> UIFont { UIFont() }
}
public final class UIBezierPath {
    public init(rect: CGRect) {}
    public func stroke() {}
}
extension NSAttributedString.Key {
    public static let font = NSAttributedString.Key("NSFont")
    public static let foregroundColor = NSAttributedString.Key("NSColor")
    public static let backgroundColor = NSAttributedString.Key("NSBackgroundColor")
}
extension NSString {
    public func draw(at point: CGPoint, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {}
}
