import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';

const PROGRAM = `
import { createLogger, serverLog } from './src/process/log.ts';
const set = globalThis.setTimeout, repeat = globalThis.setInterval;
let timers = 0;
globalThis.setTimeout = (...given) => { timers += 1; return set(...given); };
globalThis.setInterval = (...given) => { timers += 1; return repeat(...given); };
const log = createLogger('info', serverLog());
const atRest = timers;
for (let line = 0; line < 3; line++) log.info({ line }, 'a line');
const withLines = timers;
set(() => { log.info({ atRest, withLines, later: timers }, 'counted'); process.exit(); }, 300);
`;

it('the log has no timer at rest, and one for lines that wait together', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [written] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const lines = written
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ msg }) => msg)).toEqual(['a line', 'a line', 'a line', 'counted']);
  expect(lines.at(-1)).toMatchObject({ atRest: 0, withLines: 1, later: 1 });
});
