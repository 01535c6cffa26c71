import { expect, it } from 'vitest';
import { FORMAT_NAMES, FORMATS } from '../../../src/cli/check/formats.ts';
import { PLAIN } from '../../../src/cli/output/screen.ts';
import { describeCommands } from '../command-cases.ts';
import { placedViolation, reportWith } from './placed-violations.ts';

describeCommands('test/cli/check/formats.test.ts');

it.each(FORMAT_NAMES)('the format %s names the check and the object of a finding', async (name) => {
  const text = (await FORMATS[name]())(reportWith([placedViolation()]), { columns: undefined, paint: PLAIN });
  expect(text).toContain('named-port');
  expect(text).toContain('web');
});
