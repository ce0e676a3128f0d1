import XCTest

@testable import AgentCore

final class WireTests: XCTestCase {
    func testAFrameThatIsTooLargeIsRefusedBeforeItIsRead() {
        // Only the length is there: a reader that allocated first would have to wait, or fail otherwise.
        for length: [UInt8] in [[0xff, 0xff, 0xff, 0xff], [1, 0, 0, 4]] {
            XCTAssertThrowsError(try Frame.read(from: Bytes(length))) {
                guard case StreamError.tooLarge = $0 else { return XCTFail("\($0)") }
            }
        }
        XCTAssertThrowsError(try Frame.read(from: Bytes([0, 0, 0, 4]))) {  // 64 MiB is allowed, but does not come
            XCTAssertEqual($0 as? StreamError, .brokenOff)
        }
        XCTAssertThrowsError(try Frame.encode([UInt8](repeating: 0, count: Frame.longest + 1), version: 1))
        XCTAssertThrowsError(try Frame.encode([UInt8](repeating: 0, count: Frame.longest - 5), version: 3))
    }

    func testEmptyFramesAreSkippedAndAnEndBetweenFramesIsOne() throws {
        XCTAssertEqual(try Frame.read(from: Bytes([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7])), [7])
        XCTAssertThrowsError(try Frame.read(from: Bytes([]))) { XCTAssertEqual($0 as? StreamError, .ended) }
        XCTAssertThrowsError(try Frame.read(from: Bytes([1]))) { XCTAssertEqual($0 as? StreamError, .brokenOff) }
    }

    func testBytesAfterTheLastFieldAreIgnored() throws {
        let request = try Codec.decodeRequest([0x02, 1, 0, 0, 0, 2, 0, 0, 0, 0xde, 0xad])
        XCTAssertEqual((request as? TapCoord)?.y, 2)
    }

    func testATimeoutMayBeMissing() throws {
        let short = try Codec.decodeRequest([0x03, 1, 0, 0, 0, 0x61]) as? TapElement
        XCTAssertEqual(short?.selector, "a")
        XCTAssertNil(short?.timeoutMS)
    }

    func testAnyByteButZeroIsTrue() throws {
        let request = try Codec.decodeRequest([0x13, 1, 0, 0, 0, 0x61, 0x7f, 0]) as? FindElement
        XCTAssertEqual(request?.byLabel, true)
    }

    func testWhatMakesNoSenseIsSaid() {
        let cases: [([UInt8], DecodeError.Kind)] = [
            ([], .insufficientData), ([0x77], .invalidOpcode), ([0x15], .invalidOpcode), ([0x99], .invalidPayload),
            ([0xa0, 0], .invalidPayload), ([0x02, 1], .insufficientData),
            ([0x06, 0xff, 0xff, 0xff, 0xff], .insufficientData), ([0x06, 1, 0, 0, 0, 0xff], .badUTF8),
            ([0x06, 3, 0, 0, 0, 0xed, 0xa0, 0x80], .badUTF8),
        ]
        for (bytes, kind) in cases {
            XCTAssertThrowsError(try Codec.decodeRequest(bytes)) { XCTAssertEqual(($0 as? DecodeError)?.kind, kind) }
        }
    }

    /// The examples of FIPS 180-4 and RFC 4231, of which one has a key that is longer than a block.
    func testHashes() {
        let cases: [(String, String)] = [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
        for (text, want) in cases { XCTAssertEqual(SHA256.hash(Array(text.utf8)), VectorTests.bytes(want), text) }
        let text = "Test Using Larger Than Block-Size Key - Hash Key First"
        let long = SHA256.hmac(Array(text.utf8), key: [UInt8](repeating: 0xaa, count: 131))
        XCTAssertEqual(long, VectorTests.bytes("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"))
        XCTAssertTrue(Proof.same([1, 2], [1, 2]))
        for other: [UInt8] in [[], [1], [1, 3], [1, 2, 0]] { XCTAssertFalse(Proof.same([1, 2], other)) }
        XCTAssertEqual(Proof.nonce().count, 16)
        XCTAssertNotEqual(Proof.nonce(), Proof.nonce())
    }

    /// Random messages are decoded or refused, never anything else; and what is decoded is written and read again as
    /// the same. The seed is printed by a failure.
    func testRandomMessages() throws {
        for seed in UInt64(1)...4000 {
            var random = Random(seed)
            let opcode = Bool.random(using: &random) ? allRequests.randomElement(using: &random)!.opcode : 0x77
            var bytes = [opcode]
            for _ in 0..<Int.random(in: 0...40, using: &random) {
                // Mostly small numbers, so that counts are often right.
                bytes.append(UInt8.random(in: 0...(Bool.random(using: &random) ? 3 : 255), using: &random))
            }
            guard let request = try? Codec.decodeRequest(bytes) else { continue }
            try checkAgain(request, seed)
        }
    }

    private func checkAgain<R: Request>(_ request: R, _ seed: UInt64) throws {
        let bytes = try Codec.encode(request)
        let again = try Codec.decodeRequest(bytes)
        XCTAssertEqual(try Codec.encode(again), bytes, "seed \(seed)")
    }

    func testRandomStreams() {
        for seed in UInt64(1)...500 {
            var random = Random(seed)
            let stream = (0..<200).map { _ in UInt8.random(in: 0...9, using: &random) }
            let source = Bytes(stream, chunk: Int.random(in: 1...9, using: &random))
            while (try? Frame.read(from: source)) != nil {}
        }
    }
}

/// SplitMix64: the same numbers for the same seed, everywhere.
struct Random: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
