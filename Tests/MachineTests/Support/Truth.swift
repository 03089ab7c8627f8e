import Analysis
import Foundation
import TestSupport

/// How far a figure may be off here. Tests share their cores with others, and a read that loses the processor for
/// 10 ms tells another moment's energy; how exact the figures are is measured by `scripts/bench accuracy`.
let tolerance = 0.01

/// What the simulated machine really consumed, from its log: power is constant between the changes that the
/// log lists, so the energy of any span is known exactly.
struct Truth {
    /// From `begin` on a domain draws `watts`; it has consumed `joules` until then.
    private struct Step {
        let begin: UInt64
        let joules: Double
        let watts: Double
    }

    private struct Line: Decodable {
        let time: UInt64
        let domain: String?
        let uw: Int64?
        let nj: Int64?
        let fj: Int64?

        enum CodingKeys: String, CodingKey {
            case domain, uw, nj, fj
            case time = "t_ns"
        }
    }

    private var steps: [String: [Step]] = [:]

    init(log: String) throws {
        for text in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
            let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            guard let domain = line.domain, let uw = line.uw, let nj = line.nj, let fj = line.fj else {
                continue
            }
            steps[domain, default: []].append(
                Step(
                    begin: line.time, joules: Double(nj) * 1e-9 + Double(fj) * 1e-15, watts: Double(uw) * 1e-6
                ))
        }
    }

    /// Joules of a domain between two moments of CLOCK_MONOTONIC.
    func joules(_ domain: String, from begin: UInt64, to end: UInt64) throws -> Double {
        try consumed(domain, until: end) - consumed(domain, until: begin)
    }

    private func consumed(_ domain: String, until moment: UInt64) throws -> Double {
        guard let step = steps[domain]?.last(where: { $0.begin <= moment }) else {
            throw SetUpFailure("the log says nothing of \(domain) before \(moment)")
        }
        return step.joules + step.watts * Double(moment - step.begin) * 1e-9
    }
}
