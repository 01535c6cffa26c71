import { spawnSync } from 'node:child_process';
import type { Ran } from '../cli/run-probewright.ts';

/** Ways in which a command ends before it has told its result: what runs before the program, and what is read then. */
export const ENDS = [
  {
    how: 'whose promise never settles',
    before: `Object.defineProperty(process, 'stdin', { value: new Readable({ read: () => undefined }) });`,
    says: 'probewright check: ended without a result',
  },
  {
    how: 'that loses an error of an emitter',
    before: `Object.defineProperty(process, 'stdin', { value: new Readable({ read: () => undefined }) });
      setTimeout(() => new EventEmitter().emit('error', new Error('nobody listens')), 500);`,
    says: 'nobody listens',
  },
  {
    how: 'that loses a rejection',
    before: `Object.defineProperty(process, 'stdin', { value: new Readable({ read: () => undefined }) });
      setTimeout(() => void Promise.reject(new Error('nobody waits')), 500);`,
    says: 'nobody waits',
  },
];

/** Runs `check -` of a program in a process in which a script has run before. */
export function endOf(program: string, before: string): Ran {
  const script = `import { EventEmitter } from 'node:events'; import { Readable } from 'node:stream'; ${before}`;
  const preloaded = `data:text/javascript,${encodeURIComponent(script)}`;
  const args = ['--import', preloaded, program, 'check', '-'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', input: '' });
  return { code: status ?? -1, stdout, stderr };
}
