// Signatures of WebKit that the app Tour uses, as Apple's documentation has them.
@_exported import UIKit

open class WKNavigation: NSObject {}

open class WKWebView: UIView {
    @discardableResult
    open func loadHTMLString(_ string: String, baseURL: URL?) -> WKNavigation? { nil }
}
