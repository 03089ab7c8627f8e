import Testing

@testable import Analysis

@Suite struct GPUProcessesTests {
    private func look(
        _ second: Double, _ pids: [(String, Maybe<[Int32]>)], ours: [Int32], whole: Bool = true
    )
        -> GPUProcessesLine
    {
        GPUProcessesLine(
            time: moment(second), devices: pids.map { .init(device: $0.0, pids: $0.1) }, enginePids: ours,
            pidsAreVisible: whole)
    }

    private func board(_ index: Int, _ device: String) -> SourceLine {
        SourceLine(
            index: index, id: "nvml:\(index)", kind: .counter, quantity: .energy, scale: 1e-3,
            scope: SourceLine.Scope(domain: "gpu-board", device: device), interface: "nvml:total-energy",
            intervalNanoseconds: 10_000_000)
    }

    /// A process seen once counts, and one look that failed hides nothing.
    @Test func looksAddUp() {
        var seen = look(1, [("a", .known([])), ("b", .unavailable("lost"))], ours: [10])
        seen.merge(look(2, [("a", .known([11])), ("b", .known([99]))], ours: [10, 11]))
        seen.merge(look(4, [("a", .unavailable("lost")), ("c", .known([7]))], ours: [10]))
        #expect(seen.time == moment(4))
        #expect(seen.enginePids == [10, 11])
        #expect(
            seen.devices == [
                .init(device: "a", pids: .known([11])), .init(device: "b", pids: .known([99])),
                .init(device: "c", pids: .known([7])),
            ])
        let boards = [board(0, "a"), board(1, "b")]
        #expect(GPUSelection(asked: seen, sources: boards) == .listingEngine(devices: ["a"]))
        #expect(GPUSelection(asked: nil, sources: boards) == .allVisible)
        let none = look(1, [("a", .known([3])), ("b", .known([]))], ours: [10])
        #expect(GPUSelection(asked: none, sources: boards) == .listingEngine(devices: []))
        let hidden = look(1, [("a", .known([3])), ("b", .known([]))], ours: [10], whole: false)
        #expect(GPUSelection(asked: hidden, sources: boards) == .allVisible)
    }
}
