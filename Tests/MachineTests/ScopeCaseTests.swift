import Analysis
import TestSupport
import Testing

/// Which counters make the total on machines of different make (CASES C6, C8, C9).
@Suite(.enabled(if: Simulator.isHere, Comment(rawValue: Simulator.missing ?? "")))
struct ScopeCaseTests {
    /// Package 85 W of which core 60 W and uncore 5 W, dram 6 W; psys covers all and 20 W more.
    private let domains = """
        domain core 60
        domain uncore 5
        domain rest 20
        domain dram 6
        domain board 20
        sum package core uncore rest
        sum psys package dram board
        """

    private func decode(_ result: SimulatedResult, of domains: [String]) throws -> Double {
        let joules = result.record.metrics.decode.gross.joules
        return try #require(try result.error(joules, of: domains), "\(joules)")
    }

    /// C8: six zones of which two are the energy.
    @Test func theTotalIsPackageAndDramOnce() throws {
        let result = try SimulatedRun().result(
            on: domains + """

                zone intel-rapl:0 package-0 package
                zone intel-rapl:0:0 core core
                zone intel-rapl:0:1 uncore uncore
                zone intel-rapl:0:2 dram dram
                zone intel-rapl:1 psys psys
                zone intel-rapl-mmio:0 package-0 package
                """)
        #expect(result.record.total.includes == ["rapl:package-0", "rapl:package-0/dram"])
        #expect(abs(try decode(result, of: ["package", "dram"])) < tolerance)
        // What is beside the total is measured too.
        let psys = result.record.metrics.decode.gross.bySource["rapl:psys"]
        #expect(abs(try #require(try result.error(psys, of: ["psys"]))) < tolerance)
        #expect(result.record.total.excludes.count == 4)
    }

    /// C8: only the memory-mapped copies are there.
    @Test func theMemoryMappedZonesStandInForMissingOnes() throws {
        let result = try SimulatedRun().result(
            on: domains + """

                zone intel-rapl-mmio:0 package-0 package
                zone intel-rapl-mmio:0:0 dram dram
                """)
        #expect(result.record.total.includes.count == 2)
        #expect(abs(try decode(result, of: ["package", "dram"])) < tolerance)
    }

    /// C9: the first zone is psys, the second the package.
    @Test func namesDecideAndNotIndices() throws {
        let result = try SimulatedRun().result(
            on: domains + """

                zone intel-rapl:0 psys psys
                zone intel-rapl:1 package-0 package
                zone intel-rapl:1:0 core core
                """)
        #expect(result.record.total.includes == ["rapl:package-0"])
        #expect(abs(try decode(result, of: ["package"])) < tolerance)
    }

    /// C6: the kernel's default permission; what is left is measured, the remedy is printed once.
    @Test func zonesWithoutPermissionAreNamedAndTheRestIsMeasured() throws {
        let result = try SimulatedRun().result(
            on: domains + """

                zone intel-rapl:0 package-0 package
                zone intel-rapl:0:0 dram dram
                fault class/powercap/intel-rapl:0/energy_uj eacces
                """)
        let source = try result.source("rapl:package-0")
        #expect(source.status == .noPermission)
        #expect(source.remedy?.contains("energy_uj") == true)
        #expect(result.errors.components(separatedBy: "energy_uj").count <= 3, "\(result.errors)")
        #expect(result.record.total.includes == ["rapl:package-0/dram"])
        #expect(abs(try decode(result, of: ["dram"])) < tolerance)
    }

    /// Two packages that show one counter.
    @Test func mirroredPackagesCountOnce() throws {
        let result = try SimulatedRun().result(
            on: domains + """

                zone intel-rapl:0 package-0 package
                zone intel-rapl:1 package-1 package
                """)
        #expect(result.record.total.includes == ["rapl:package-0"])
        #expect(try result.source("rapl:package-1").status == .mirrored)
        #expect(abs(try decode(result, of: ["package"])) < tolerance)
    }

    /// Four packages with dram, as a server has them.
    @Test func fourPackagesAddUp() throws {
        let zones = (0..<4).map {
            """
            domain p\($0) \(60 + 10 * $0)
            domain d\($0) \(4 + $0)
            zone intel-rapl:\($0) package-\($0) p\($0)
            zone intel-rapl:\($0):0 dram d\($0)
            """
        }
        let result = try SimulatedRun().result(on: zones.joined(separator: "\n"))
        #expect(result.record.total.includes.count == 8)
        #expect(abs(try decode(result, of: (0..<4).flatMap { ["p\($0)", "d\($0)"] })) < tolerance)
    }
}
