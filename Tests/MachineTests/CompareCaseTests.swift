import Analysis
import Foundation
import TestSupport
import Testing

/// A comparison where the truth is known: two engines of one speed, of which one takes 5 % more energy a token.
@Suite(.enabled(if: Simulator.isHere, Comment(rawValue: Simulator.missing ?? "")))
struct CompareCaseTests {
    /// Prefills of 0.1 s and decodes of 0.3 s at these powers.
    private func script(_ prefill: Double, _ decode: Double) -> String {
        #"""
        {"load": {"cold_ns": 1000000, "warm_ns": 1000000},
         "prefill": {"ns": 100000000}, "decode": {"ns": 30000000},
         "phases": {"idle": "power p 20", "load": "power p 40", "loaded": "power p 20", "gap": "power p 20",
                    "prefill": "power p \#(prefill)", "decode": "power p \#(decode)", "unload": "power p 20"},
         "phase_append": true}
        """#
    }

    private func compare(
        _ scripts: [String]
    ) throws -> (document: SessionDocument, truth: Truth, start: UInt64) {
        let place = try Workplace()
        let log = place.url.appending(path: "truth.log").path
        let engines = try scripts.enumerated().flatMap { index, script in
            let path = try place.file("engine-\(index).json", script)
            return ["--exec", "\(Program.path("scripted-engine")) \(path)"]
        }
        let shell = #"SUSTAIN_PHASE_FILE=$SUSTAIN_SIMULATOR/control exec "$@""#
        let command = ["compare"] + engines + ["--idle", "1", "-p", "8", "-n", "11", "--json"]
        let ended = try Simulator.start(
            "domain p 20\nzone intel-rapl:0 package-0 p\n",
            ["sh", "-c", shell, "sh", Program.path("sustain")] + command, log: log, in: place
        ).wait()
        guard ended.status == 0 else { throw SetUpFailure("exit \(ended.status): \(ended.errors)") }
        let trace = try String(
            contentsOf: try place.runDirectory().appending(path: "trace.jsonl"), encoding: .utf8)
        struct Header: Decodable {
            let time: UInt64
            enum CodingKeys: String, CodingKey { case time = "t_ns" }
        }
        let first = trace.prefix { $0 != "\n" }
        return (
            try JSONDecoder().decode(SessionDocument.self, from: ended.output), try Truth(log: log),
            try JSONDecoder().decode(Header.self, from: Data(first.utf8)).time
        )
    }

    @Test func fivePercentAreToldApartAtEqualSpeed() throws {
        let (document, truth, start) = try compare([script(140, 90), script(147, 94.5)])
        let found = try #require(document.comparisons.first)
        #expect(found.quads == 8)

        // What the blocks really took: the machine's power is constant between the changes in its log.
        func joules(_ variant: String) throws -> Double {
            try document.blocks.filter { $0.variant == variant }.reduce(0) { sum, block in
                func moment(_ seconds: Double) -> UInt64 { start + UInt64((seconds * 1e9).rounded()) }
                return sum + (try truth.joules("p", from: moment(block.begin), to: moment(block.end)))
            }
        }
        let real = try joules("engine-1.json") / joules("engine-0.json")
        let energy = try #require(
            found.effects["cycle.gross.joules_per_token"]?.value,
            "\(String(describing: found.effects["cycle.gross.joules_per_token"]))")
        let ratio = try #require(energy.ratio.number)
        #expect(energy.verdict == "different")
        #expect(ratio > 1)
        #expect(abs(ratio / real - 1) < 0.01, "\(ratio), truth \(real)")
        #expect(abs(ratio - 1.05) < 0.02, "\(ratio)")
        let decode = try #require(found.effects["decode.gross.joules_per_token"]?.value)
        #expect(abs((decode.ratio.number ?? 0) - 1.05) < 0.02, "\(decode)")
        let speed = try #require(found.effects["decode.tokens_per_second"]?.value)
        #expect(abs((speed.ratio.number ?? 0) - 1) < 0.01, "\(speed)")
        #expect(document.variants.allSatisfy { ($0.idleCores.value ?? 1) < 0.05 })
    }

    @Test func aBuildAgainstItselfIsNoDifference() throws {
        let (document, _, _) = try compare([script(140, 90), script(140, 90)])
        let found = try #require(document.comparisons.first)
        for metric in ["cycle.gross.joules_per_token", "peak_rss_bytes"] {
            let effect = try #require(found.effects[metric]?.value)
            #expect(abs((effect.ratio.number ?? 0) - 1) < 0.01, "\(metric): \(effect)")
        }
        #expect(found.effects["peak_rss_bytes"]?.value?.verdict == "no detectable difference")
    }
}
