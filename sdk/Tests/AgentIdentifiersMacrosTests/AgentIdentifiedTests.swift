import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import XCTest

@testable import AgentIdentifiersMacros

final class AgentIdentifiedTests: XCTestCase {
    /// What the macros make of a source, and what they say of it.
    private func expand(_ source: String) -> (text: String, said: [String]) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "App", fullFilePath: "App.swift")])
        let macros: [String: Macro.Type] = [
            "AgentIdentified": AgentIdentifiedMacro.self, "AgentIgnored": AgentIgnoredMacro.self,
        ]
        let expanded = file.expand(
            macros: macros,
            contextGenerator: {
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
            })
        let text = expanded.description.drop { $0.isNewline }
        return (String(text), context.diagnostics.map { "\($0.diagMessage.severity): \($0.message)" })
    }

    /// The identifiers that a source gets, with a star for containers, in the order of their names.
    private func identifiers(_ source: String, file: StaticString = #filePath, line: UInt = #line) -> [String] {
        let (text, said) = expand(source)
        XCTAssertEqual(said, [], file: file, line: line)
        let types = text.components(separatedBy: "#if DEBUG\n").dropFirst()
        return types.map { type in
            let identifier = type.components(separatedBy: "\"")[1]
            return identifier + (type.components(separatedBy: "#endif")[0].contains("isContainer") ? "*" : "")
        }
    }

    func testTheExpansion() {
        let (text, said) = expand(
            """
            @AgentIdentified
            struct LoginView: View {
                @State private var email = ""
                var submit: some View { Button("Sign in", action: signIn) }
                var body: some View { submit }
            }
            """)
        XCTAssertEqual(said, [])
        XCTAssertEqual(
            text,
            """
            struct LoginView: View {
                @State private var email = ""
                @AgentIdentifiers.AgentBuilder<AgentName_submit>
                var submit: some View { Button("Sign in", action: signIn) }
                var body: some View { submit }

                #if DEBUG
                enum AgentName_submit: AgentIdentifiers.AgentName {
                    static var identifier: String {
                        "login.submit"
                    }
                }
                #else
                typealias AgentName_submit = AgentIdentifiers.NoAgentName
                #endif
            }
            """)
    }

    func testWhatIsAnElement() {
        XCTAssertEqual(
            identifiers(
                """
                @AgentIdentified
                public final class URLScreen<Item>: View {
                    var one: some View { Text("1") }
                    private var two: some SwiftUI.View { get { Text("2") } }
                    func three(_ item: Item) -> some View { Text("3") }
                    var `default`: some View { Text("4") }
                    @AgentIgnored var left: some View { Text("5") }
                    @AgentIdentifiers.AgentIgnored func right() -> some View { Text("6") }
                    static var of: some View { Text("7") }
                    var count: Int { 8 }
                    var any: any View { Text("9") }
                    var stored: Text
                    var both: some View { get { Text("") } set {} }
                    var body: some View { one }
                    static func + (a: Self, b: Self) -> some View { a }
                }
                """),
            ["url.one", "url.two", "url.three", "url.default"])
    }

    func testContainersLeaveTheirElementsAlone() {
        XCTAssertEqual(
            identifiers(
                """
                @AgentIdentified
                struct CartView: View {
                    var pay: some View { Button("VStack") { pay() }.padding() }
                    var rows: some View { SwiftUI.List(items) { Text($0.name) }.padding() }
                    var foot: some View { Card { pay } }
                    var either: some View { if wide { HStack { a } } else if b { Text("b") } else { Text("c") } }
                    var cases: some View { switch size { case .s: Text("s") default: VStack<Text> { Text("t") } } }
                    var plain: some View {
                        let title = "VStack"
                        Text(title)
                    }
                }
                """),
            ["cart.pay", "cart.rows*", "cart.foot*", "cart.either*", "cart.cases*", "cart.plain"])
    }

    func testAScreenMayBeNamed() {
        let row = "struct CartRow: View { func remove(_ item: Item) -> some View { Text(\"x\") } }"
        XCTAssertEqual(identifiers("@AgentIdentified(screen: \"cart\") \(row)"), ["cart.remove"])
        XCTAssertEqual(identifiers("@AgentIdentified \(row)"), ["cartRow.remove"])
        XCTAssertEqual(
            identifiers("@AgentIdentified extension Shop.CartView { var total: some View { Text(\"0\") } }"),
            ["cart.total"])
        for wrong in ["\"my cart\"", "name", "\"\\(name)\"", "\"\""] {
            let (text, said) = expand("@AgentIdentified(screen: \(wrong)) \(row)")
            XCTAssertEqual(said, ["error: a screen is a string of letters, digits, '-' and '_', written out"], wrong)
            XCTAssertFalse(text.contains("Agent"), text)
        }
        XCTAssertEqual(
            expand("@AgentIdentified protocol Titled { var title: String { get } }").said,
            ["error: only a type or an extension has elements"])
    }

    func testWhatCannotBeIdentifiedIsTold() {
        let (text, said) = expand(
            """
            @AgentIdentified
            struct CartView: View {
                func row(_ item: Item) -> some View { Text("1") }
                func row(at place: Int) -> some View { Text("2") }
                @ViewBuilder var pay: some View { Text("3") }
                var total: some View { return Text("4") }
                var pair: some View {
                    Text("5")
                    Text("6")
                }
                var branch: some View {
                    if wide {
                        Text("7")
                        Text("8")
                    }
                }
                var fine: some View { Button("9") { return } }
            }
            """)
        XCTAssertEqual(
            said.map { String($0.prefix { $0 != "," }) },
            ["row", "pay", "total", "pair", "branch"].map { "warning: '\($0)' gets no identifier" })
        XCTAssertEqual(text.components(separatedBy: "@AgentIdentifiers.AgentBuilder").count - 1, 2, text)
        XCTAssertTrue(text.contains("@AgentIdentifiers.AgentBuilder<AgentName_row>\n    func row(_ item"), text)
    }

    func testOneOfSeveralThatTheCompilerChooses() {
        let (text, said) = expand(
            """
            @AgentIdentified
            struct CartView: View {
                #if os(iOS)
                var pay: some View { Text("1") }
                #else
                var pay: some View { Text("2") }
                #endif
                var total: some View {
                    #if os(iOS)
                    Text("3")
                    #else
                    VStack { Text("4") }
                    #endif
                }
            }
            """)
        XCTAssertEqual(said, [])
        XCTAssertEqual(text.components(separatedBy: "enum AgentName_").count - 1, 2, text)
        XCTAssertTrue(text.contains("isContainer"), text)
    }
}
