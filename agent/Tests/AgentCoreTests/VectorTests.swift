import XCTest

@testable import AgentCore

/// The golden frames that the Go codec is tested with, from the same files.
final class VectorTests: XCTestCase {
    struct Vector {
        let what, name: String
        let frame: [UInt8]
        /// A name that ends in @N is a frame with a header and that id.
        var id: UInt32? { name.split(separator: "@").dropFirst().first.flatMap { UInt32($0) } }
        var version: UInt16 { id == nil ? 1 : 3 }
        var header: Header {
            let flags = what != "accepted" ? 0 : name.hasPrefix("sent") ? Header.sent : Header.heartbeat
            return Header(id: id ?? 0, flags: flags)
        }
    }

    static func vectors() throws -> [Vector] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../internal/driver/agentwire/testdata").standardized
        return try ["v1.txt", "v3.txt"].flatMap { name in
            try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8).split(separator: "\n")
                .filter { !$0.hasPrefix("#") }
                .map { line in
                    let words = line.split(separator: " ").map(String.init)
                    return Vector(what: words[0], name: words[1], frame: bytes(words.dropFirst(2).joined()))
                }
        }
    }

    static func bytes(_ hex: String) -> [UInt8] {
        var out: [UInt8] = []
        var rest = Substring(hex)
        while let pair = UInt8(rest.prefix(2), radix: 16) {
            out.append(pair)
            rest = rest.dropFirst(2)
        }
        return out
    }

    /// What each request of the files means. One that is missing here fails the test.
    let requests: [String: any Request] = {
        func make<R: Request>(_: R.Type, _ fill: (inout R) -> Void = { _ in }) -> R {
            var r = R()
            fill(&r)
            return r
        }
        return [
            "heartbeat": Heartbeat(), "heartbeat@1": Heartbeat(), "dump-tree": DumpTree(), "screenshot": Screenshot(),
            "get-target-info": GetTargetInfo(), "device-udid": DeviceUDID(),
            "tap-coord": make(TapCoord.self) { ($0.x, $0.y) = (100, -42) },
            "tap-element": make(TapElement.self) { $0.selector = "ok" },
            "tap-element-timeout": make(TapElement.self) { ($0.selector, $0.timeoutMS) = ("ok", 5000) },
            "tap-by-label-timeout": make(TapByLabel.self) { ($0.label, $0.timeoutMS) = ("OK", 250) },
            "tap-with-type": make(TapWithType.self) { ($0.selector, $0.byLabel, $0.type) = ("ok", true, "Button") },
            "type-text": make(TypeText.self) { $0.text = "h\u{e9}" },
            "swipe": make(Swipe.self) { ($0.startX, $0.startY, $0.endX, $0.endY) = (195, 600, 195, 300) },
            "swipe-seconds": make(Swipe.self) {
                ($0.startX, $0.startY, $0.endX, $0.endY, $0.seconds) = (195, 600, 195, 300, 0.3)
            },
            "get-value": make(GetValue.self) { $0.selector = "f" },
            "get-value-type-timeout": make(GetValue.self) {
                ($0.selector, $0.type, $0.timeoutMS) = ("f", "TextField", 1)
            },
            "long-press": make(LongPress.self) { ($0.x, $0.y, $0.seconds) = (10, 20, 1) },
            "set-target": make(SetTarget.self) { $0.bundle = "a.b" },
            "find-element": make(FindElement.self) { $0.selector = "x" },
            "hello": make(Hello.self) { ($0.version, $0.token, $0.client) = (3, "tk", "cli") },
            "double-tap@11": make(DoubleTap.self) { ($0.x, $0.y) = (100, 200) }, "clear@12": Clear(),
            "set-value@13": make(SetValue.self) { ($0.x, $0.y, $0.value) = (10, 20, "0.5") },
            "key@14": make(Key.self) { ($0.name, $0.modifiers, $0.count) = ("a", 9, 2) },
            "drag@15": make(Drag.self) {
                ($0.startX, $0.startY, $0.endX, $0.endY) = (10, 20, 30, 40)
                ($0.pressSeconds, $0.velocity, $0.holdSeconds) = (0.5, 100, 1)
            },
            "pinch@16": make(Pinch.self) { ($0.x, $0.y, $0.scale, $0.velocity) = (195, 400, 2, 1) },
            "alert@17": make(Alert.self) { ($0.action, $0.button) = (3, "OK") },
            "button@18": make(Button.self) { $0.name = "home" },
            "rotate@19": make(Rotate.self) { $0.orientation = "portrait" },
            "greet": make(Greet.self) { ($0.version, $0.nonce, $0.client) = (3, [1, 2], "cli") },
            "prove": make(Prove.self) { $0.proof = [3, 4] },
            "look@20": make(Look.self) {
                ($0.terms.stableMS, $0.terms.minMS, $0.terms.maxMS, $0.terms.patienceMS) = (100, 50, 1500, 1000)
                ($0.terms.maxDepth, $0.terms.maxNodes, $0.unlike, $0.candidates) = (80, 900, "ab", "a.b\nc.d")
            },
            "act-aimed@21": make(Act.self) {
                var aim = Aim()
                (aim.type, aim.identifier, aim.label, aim.rank) = ("Button", "ok", "OK", 1)
                (aim.frame, aim.at) = (Rect(x: 10, y: 20, width: 100, height: 44), Point(x: 60, y: 42))
                ($0.app, $0.aim, $0.input) = ("a.b", aim, [2, 60, 0, 0, 0, 42, 0, 0, 0])
                ($0.terms.stableMS, $0.terms.minMS, $0.terms.maxMS, $0.terms.patienceMS) = (150, 200, 3000, 1000)
                $0.terms.maxDepth = 60
            },
            "act@22": make(Act.self) { $0.input = [0x23] }, "shutdown@23": Shutdown(),
        ]
    }()

    let responses: [String: any Response] = {
        var sight = Sight()
        (sight.settled, sight.waitedMS, sight.samples, sight.truncated) = (true, 300, 3, 2)
        (sight.front, sight.state, sight.cover, sight.digest, sight.json) = ("a", "r", "s", "ab", "[]")
        return [
            "ok": OK(), "ok@7": OK(), "error": ErrorText("no"), "bare-error": ErrorText("no"),
            "tree": TreeResponse(json: "[]", truncated: 0), "tree-truncated@10": TreeResponse(json: "[]", truncated: 5),
            "screenshot": ImageResponse(png: [0x89, 0x50]), "value-none": Value(nil), "value": Value("Hi"),
            "element-null": Found(json: "null", truncated: 0), "target-info": TargetInfo(json: "{}"),
            "welcome": Welcome(version: 3, json: "{}"), "unauthorized": Fault(AgentFault(.unauthorized, "no")),
            "fault@8": Fault(AgentFault(.notHittable, "no")),
            "alert-none@17": AlertState(json: "null"),
            "challenge": Challenge(version: 3, nonce: [1], proof: [2, 3]),
            "fault@21": Fault(AgentFault(.notInFront, "no")), "sight@20": sight,
            "pulse@20": Pulse(stuckMS: 12000, opcode: 0x2d), "sent@21": OK(),
        ]
    }()

    /// What each value is computed of: the token tk, the nonces 00 to 0f and 10 to 1f; the front a, no cover, the tree [].
    let values: [String: [UInt8]] = {
        func proof(_ side: Proof.Side) -> [UInt8] {
            Proof.of(side, token: "tk", client: Array(0..<16), agent: Array(16..<32))
        }
        return [
            "agent-proof": proof(.agent), "client-proof": proof(.client),
            "digest": Array(Sight.digest(front: "a", cover: "", json: "[]").utf8),
        ]
    }()

    func testGoldenVectors() throws {
        let all = try VectorTests.vectors()
        XCTAssertEqual(all.count, requests.count + responses.count + values.count + 1)  // one is refused
        for vector in all {
            if vector.what == "value" {
                XCTAssertEqual(values[vector.name], vector.frame, vector.name)
                continue
            }
            let frame = try Frame.read(from: Bytes(vector.frame))
            XCTAssertEqual(frame.count + 4, vector.frame.count, vector.name)
            if vector.version == 3 {
                XCTAssertEqual(try Frame.header(of: frame), vector.header, vector.name)
            }
            try check(vector, frame, from: vector.version == 3 ? Header.size : 0)
        }
    }

    private func check(_ vector: Vector, _ frame: [UInt8], from offset: Int) throws {
        switch vector.what {
        case "request":
            let want = try XCTUnwrap(requests[vector.name], "no request \(vector.name) in the test")
            XCTAssertTrue(same(try Codec.decodeRequest(frame, from: offset), want), vector.name)
            XCTAssertEqual(try encoded(Codec.encode(want), vector), vector.frame, vector.name)
        case "response", "accepted":
            let want = try XCTUnwrap(responses[vector.name], "no response \(vector.name) in the test")
            XCTAssertTrue(same(try Codec.decodeResponse(frame, from: offset), want), vector.name)
            if vector.name != "bare-error" {
                XCTAssertEqual(try encoded(Codec.encode(want), vector), vector.frame, vector.name)
            }
        case "refused":
            XCTAssertThrowsError(try Codec.decodeRequest(frame, from: offset)) {
                XCTAssertEqual(($0 as? DecodeError)?.kind, .invalidOpcode, vector.name)
            }
        default: XCTFail("vectors of kind \(vector.what) are not checked")
        }
    }

    private func encoded(_ message: [UInt8], _ vector: Vector) throws -> [UInt8] {
        try Frame.encode(message, version: vector.version, header: vector.header)
    }

    private func same<M: Message>(_ got: any Message, _ want: M) -> Bool { got as? M == want }
}

/// Bytes as a stream, a few at a time.
final class Bytes: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let chunk: Int
    init(_ bytes: [UInt8], chunk: Int = 3) { (rest, self.chunk) = (bytes[...], chunk) }
    func read(upTo count: Int) -> [UInt8] {
        let next = rest.prefix(min(count, chunk))
        rest = rest.dropFirst(next.count)
        return Array(next)
    }
}
