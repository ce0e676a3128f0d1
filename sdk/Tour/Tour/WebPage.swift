import SwiftUI
import WebKit

struct WebPage: UIViewRepresentable {
    private static let page = """
        <meta name="viewport" content="width=device-width">
        <h1>A page</h1>
        <button onclick="document.getElementById('said').textContent = 'The button was pressed'">Press here</button>
        <p id="said">The button waits</p>
        """

    func makeUIView(context: Context) -> WKWebView {
        let view = WKWebView()
        view.loadHTMLString(Self.page, baseURL: nil)
        return view
    }

    func updateUIView(_ view: WKWebView, context: Context) {}
}
