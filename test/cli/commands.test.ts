import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeCommands, FILES, HOMES } from './command-cases.ts';

describeCommands('test/cli/commands.test.ts');

it.each(FILES)('the recorded command lines of %s run in one test', (file) => {
  const home = HOMES[file] ?? 'nowhere';
  expect(readFileSync(home, 'utf8')).toContain(`describeCommands('${home}')`);
});
