import { describeLongValues } from '../../support/long-value-times.ts';
import { UNITS } from '../../support/long-values.ts';
import { someOf } from '../../support/runs.ts';

// An expression with quadratic time needs a second for such a text. test/robustness has the largest texts. In `npm test`,
// each field has a fifth of the units, and another one than the field before.
describeLongValues(32 * 1024, (field) => someOf(UNITS, field));
