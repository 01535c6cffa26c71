import { describe } from 'vitest';
import { describeDefaulting } from '../../support/defaulting-cases.ts';

describe('a copy of kubectl debug', () => describeDefaulting('debug-copy'));
