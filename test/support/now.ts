/** The instant of verdicts in tests: 2026-07-01T00:00:00Z, in milliseconds since the epoch. */
export const NOW = Date.UTC(2026, 6, 1);
