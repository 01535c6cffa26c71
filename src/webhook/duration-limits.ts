/**
 * The limits of the durations of `probewright serve`. Within the limits, every served certificate is trusted and a
 * leader is always found. The chart refuses values by the same numbers: `npm run generate:chart` writes them to its
 * files.
 */
export const DURATION_LIMITS = {
  /**
   * A CA lasts at least so many rotations: a rotation begins in the last third of its life. It takes one overlap
   * before the new CA signs and, after that, the life of the last leaf and another overlap.
   */
  rotationsInCaLifetime: 3,
  overlapsInRotation: 2,
  /** A renewal that fails is tried again several times before the leaf ends. */
  checksInLeafLifetime: 6,
  /** The leader may miss one renewal of the Lease and still stay the leader. */
  renewalsInLeaseDuration: 3,
  /**
   * In milliseconds. The API server counts a watch in whole seconds. A quiet collection is heard of once a renewal,
   * which must be well below the 10 minutes of the alert ProbewrightConfigStale.
   */
  leastWatchRenewal: 2_000,
  mostWatchRenewal: 300_000,
  /** In milliseconds: 100 years. Longer than any setting here makes sense, and short of what a date can hold. */
  mostDuration: 100 * 365 * 86_400_000,
} as const;
