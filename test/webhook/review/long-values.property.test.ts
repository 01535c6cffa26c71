import { describeLongValues } from '../../support/long-value-times.ts';

// An expression with quadratic time needs seconds for such a text. test/robustness has the largest texts.
describeLongValues(64 * 1024);
