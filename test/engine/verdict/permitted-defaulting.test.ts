import { describe } from 'vitest';
import { describeDefaulting } from '../../support/defaulting-cases.ts';

describe('a probe that may be injected', () => describeDefaulting('permitted-defaulting'));
