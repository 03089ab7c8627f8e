import Analysis
import Foundation
import TestSupport
import Testing

@testable import Session

/// Where rows of logits lie, and what is left of them when a session is killed or an engine means ill.
@Suite struct RowStoreTests {
    private let workplace: Workplace
    private let files = FileManager.default

    init() throws { workplace = try Workplace() }

    private func place(_ name: String) throws -> String {
        let path = workplace.url.appending(path: name).path
        try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// As a killed session leaves it.
    private func leftover(
        _ name: String, in session: String, holding names: [String] = ["reference-0.f32", "variant.f32"],
        permissions: Int = 0o700
    ) throws -> String {
        let path = try place(session) + "/" + name
        try files.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: permissions])
        for name in names { try Data(count: 8).write(to: URL(filePath: path + "/" + name)) }
        return path
    }

    private func contents(_ path: String) -> [String] {
        ((try? files.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    @Test func itGoesWithItsFiles() throws {
        let session = try place("reports/one")
        do {
            let store = try RowStore(in: session)
            #expect(try files.attributesOfItem(atPath: store.directory)[.posixPermissions] as? Int == 0o700)
            try Data(count: 8).write(to: URL(filePath: try store.path("variant.f32")))
            #expect(contents(store.directory) == ["variant.f32"])
        }
        #expect(contents(session) == [])
    }

    /// An engine moves the directory away and puts a link to another one in its place: nothing there is touched, and
    /// nothing is read from there.
    @Test func aLinkInItsPlaceIsNotFollowed() throws {
        let session = try place("reports/one")
        let precious = try place("precious")
        try Data(count: 32).write(to: URL(filePath: precious + "/variant.f32"))
        let moved = workplace.url.appending(path: "moved").path
        do {
            let store = try RowStore(in: session)
            try Data(count: 32).write(to: URL(filePath: try store.path("variant.f32")))
            try files.moveItem(atPath: store.directory, toPath: moved)
            try files.createSymbolicLink(atPath: store.directory, withDestinationPath: precious)
            do throws(EngineProblem) {
                _ = try store.path("variant.f32")
                Issue.record("an engine would write to another directory")
            } catch {
                #expect(error.cause.hasSuffix("is no longer the directory that was made for the logits"))
            }
            store.remove("variant.f32")
            #expect(contents(moved) == [])
            switch store.rows("variant.f32", positions: 2, vocabulary: 4) {
            case .success: Issue.record("rows were read through the link")
            case .failure(let why): #expect(why.reason.contains("is no longer the directory"))
            }
        }
        #expect(contents(precious) == ["variant.f32"])
        // The link is the engine's.
        #expect(contents(session).count == 1)
    }

    @Test func whatAKilledSessionLeftIsRemoved() throws {
        let output = try place("reports")
        let left = try leftover(".parity-00ab12", in: "reports/20261130T005600Z-compare-a-000001")
        let empty = try leftover(
            ".parity-00ab13", in: "reports/20261130T005700Z-compare-a-000002", holding: [])
        #expect(RowStore.removeLeftovers(below: output) == [left, empty])
        #expect(contents(output + "/20261130T005600Z-compare-a-000001") == [])
        #expect(RowStore.removeLeftovers(below: output) == [])
    }

    /// The lock of a session that goes on is not free.
    @Test func whatIsInUseStays() throws {
        let output = try place("reports")
        let store = try RowStore(in: try place("reports/one"))
        try Data(count: 8).write(to: URL(filePath: try store.path("variant.f32")))
        #expect(RowStore.removeLeftovers(below: output) == [])
        #expect(contents(store.directory) == ["variant.f32"])
    }

    @Test func whatIsNotOursStays() throws {
        let output = try place("reports")
        let session = try place("reports/one")
        let precious = try leftover(".parity-00ab12", in: "elsewhere")
        // Links: to the directory, to its session, and a row that is one.
        try files.createSymbolicLink(atPath: session + "/.parity-00ab13", withDestinationPath: precious)
        try files.createSymbolicLink(
            atPath: output + "/two", withDestinationPath: workplace.url.appending(path: "elsewhere").path)
        let linking = try leftover(".parity-00ab14", in: "reports/one", holding: [])
        try files.createSymbolicLink(
            atPath: linking + "/variant.f32", withDestinationPath: precious + "/variant.f32")
        // Open to others, another name, something else in it.
        let open = try leftover(".parity-00ab15", in: "reports/one", permissions: 0o755)
        let other = try leftover(".parity-notes-of-mine", in: "reports/one")
        let mixed = try leftover(".parity-00ab16", in: "reports/one", holding: ["notes.txt", "greedy.f32"])
        #expect(RowStore.removeLeftovers(below: output) == [linking])
        #expect(contents(precious) == ["reference-0.f32", "variant.f32"])
        #expect(contents(open).count == 2 && contents(other).count == 2)
        #expect(contents(mixed) == ["notes.txt"])
    }
}
