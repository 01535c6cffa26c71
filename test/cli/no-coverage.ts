import type { Coverage } from '../../src/cli/check/coverage.ts';

const NOTHING = { have: 0, get: 0, lack: 0, reasons: {} };

/** The coverage of inputs without containers, for reports that tests make themselves. */
export const NO_COVERAGE: Coverage = {
  containers: 0,
  livenessProbe: NOTHING,
  readinessProbe: NOTHING,
  noMainContainer: [],
};
