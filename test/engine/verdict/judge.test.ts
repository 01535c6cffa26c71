import { describe } from 'vitest';
import { describeVerdicts } from '../../support/verdict-cases.ts';

describe('judge', () => {
  describeVerdicts('copied-handlers');
  describeVerdicts('evasion');
});
