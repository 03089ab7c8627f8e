/// How the reference of a session stands against the same one in an earlier session: the machine's own drift, by which
/// figures of different sessions may differ.
public struct ControlDrift: Sendable, Hashable {
    /// The earlier session.
    public let id: String
    /// now / then, by metric.
    public let ratios: [ComparedMetric: Double]

    /// What is shown of it.
    public static let metrics: [ComparedMetric] = [.decodeRate, .decodeEnergy, .cycleEnergy]

    /// - Parameter earlier: sessions, in any order.
    /// - Returns: against the latest one before this whose reference was the same build under the same protocol on the
    ///   same machine; nil where there is none.
    public static func of(_ session: SessionDocument, among earlier: [SessionDocument]) -> ControlDrift? {
        guard let control = Control(session) else { return nil }
        let alike = earlier.filter { $0.id < session.id && Control($0)?.key == control.key }
        guard let last = alike.max(by: { $0.id < $1.id }), let before = Control(last) else { return nil }
        var ratios: [ComparedMetric: Double] = [:]
        for metric in metrics {
            guard let now = control.variant.figures[metric.rawValue]?.number,
                let then = before.variant.figures[metric.rawValue]?.number, then > 0
            else { continue }
            ratios[metric] = now / then
        }
        return ratios.isEmpty ? nil : ControlDrift(id: last.id, ratios: ratios)
    }

    private struct Control {
        let variant: SessionDocument.Variant
        let key: [String]

        init?(_ session: SessionDocument) {
            guard let variant = session.variants.first(where: { $0.name == session.reference }),
                let engine = variant.engine.value
            else { return nil }
            self.variant = variant
            let machine = ["product", "cpu_model", "gpu_uuid"].map {
                session.environment.identity[$0]?.value ?? ""
            }
            key =
                machine + [
                    variant.artifact.value?.sha256.value ?? "", engine.kind, engine.build,
                    engine.librarySHA256.value ?? "", engine.parameters.text, session.protocol.name,
                    String(session.protocol.contextTokens),
                    session.runs == nil ? "blocks" : "runs of \(session.protocol.seconds.value) s",
                    session.total.includes.joined(separator: "+"),
                ]
        }
    }
}
