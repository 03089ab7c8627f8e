/// Student's t distribution, as far as 95 % intervals and their power need it.
enum StudentT {
    /// t(0.975) for 1 to 20 degrees of freedom.
    private static let table: [Double] = [
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
        2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
    ]

    /// The number of standard errors to either side that hold 95 %; nil below one degree of freedom.
    ///
    /// Above the table within 3e-7 of the true value.
    static func twoSided95(degreesOfFreedom: Int) -> Double? {
        guard degreesOfFreedom > 0 else { return nil }
        if degreesOfFreedom <= table.count { return table[degreesOfFreedom - 1] }
        return expanded(1.959_963_984_540_054, degreesOfFreedom)
    }

    /// t(0.80) for 1 to 4 degrees of freedom.
    private static let tableOf80: [Double] = [1.376382, 1.060660, 0.978472, 0.940965]

    /// t(0.80): how far beyond a threshold an effect has to lie to pass it four times in five. Within 1e-4; nil below
    /// one degree of freedom.
    static func oneSided80(degreesOfFreedom: Int) -> Double? {
        guard degreesOfFreedom > 0 else { return nil }
        if degreesOfFreedom <= tableOf80.count { return tableOf80[degreesOfFreedom - 1] }
        return expanded(0.841_621_233_572_914, degreesOfFreedom)
    }

    /// The expansion in 1/n around a quantile of the normal distribution (Abramowitz and Stegun 26.7.5).
    private static func expanded(_ z: Double, _ degreesOfFreedom: Int) -> Double {
        let square = z * z
        let inverse = 1 / Double(degreesOfFreedom)
        let first = z * (square + 1) / 4
        let second = z * ((5 * square + 16) * square + 3) / 96
        let third = z * (((3 * square + 19) * square + 17) * square - 15) / 384
        let fourth = z * ((((79 * square + 776) * square + 1_482) * square - 1_920) * square - 945) / 92_160
        return z + inverse * (first + inverse * (second + inverse * (third + inverse * fourth)))
    }
}
