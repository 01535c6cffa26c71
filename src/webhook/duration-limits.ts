/**
 * Within these limits, every served certificate is trusted and a leader is always found. `npm run generate:chart`
 * writes them to the chart.
 */
export const DURATION_LIMITS = {
  /**
   * A rotation begins in the last third of a CA's life. It takes one overlap before the new CA signs and, after that,
   * the life of the last leaf and another overlap.
   */
  rotationsInCaLifetime: 3,
  overlapsInRotation: 2,
  /** A renewal that fails is tried again several times before the leaf ends. */
  checksInLeafLifetime: 6,
  /** The leader may miss one renewal of the Lease and still stay the leader. */
  renewalsInLeaseDuration: 3,
  /**
   * The API server counts a watch in whole seconds. A quiet collection is heard of once a renewal, which must be well
   * below the 10 minutes of the alert ProbewrightConfigStale.
   */
  leastWatchRenewal: 2_000,
  mostWatchRenewal: 300_000,
  /** In milliseconds: 100 years. Longer than any setting here makes sense, and short of what a date can hold. */
  mostDuration: 100 * 365 * 86_400_000,
} as const;
