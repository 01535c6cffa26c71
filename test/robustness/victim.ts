/**
 * The process that hostile texts are given to: it may be killed when it hangs, and ends when its heap runs over, without taking the tests
 * with it. Started by victim-process.ts with an IPC channel and --expose-gc.
 */
import { slowdownNow, timeOf } from '../support/slowdown.ts';
import { bareYaml, calls, type CallName, type Outcome } from './victim-calls.ts';
import type { VictimAnswer, VictimTask } from './victim-process.ts';

/** Slower than this, and a call is made once more: the better time counts. */
const SUSPICIOUS_MILLISECONDS = 300;
/** Slower than this, and the YAML library has to show that it is not faster itself. */
const LIMIT_MILLISECONDS = 1000;

async function attend({ id, call, text }: VictimTask): Promise<VictimAnswer> {
  const nothing = { id, milliseconds: 0, bareMilliseconds: 0, slowdown: 1 };
  if (call === 'heap') {
    globalThis.gc?.();
    return { ...nothing, heap: process.memoryUsage().heapUsed };
  }
  try {
    const first = await timed(call, text);
    if (first.milliseconds <= SUSPICIOUS_MILLISECONDS)
      return { ...nothing, milliseconds: first.milliseconds, outcome: first.outcome };
    const slowdown = slowdownNow();
    const second = await timed(call, text);
    const milliseconds = Math.min(first.milliseconds, second.milliseconds);
    const isSlowYaml = milliseconds > LIMIT_MILLISECONDS && call !== 'review' && call !== 'policy';
    const bareMilliseconds = isSlowYaml ? timeOf(() => bareYaml(text)) : 0;
    return { id, milliseconds, bareMilliseconds, slowdown, outcome: first.outcome };
  } catch (error) {
    return { ...nothing, crash: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function timed(call: CallName, text: string): Promise<{ outcome: Outcome; milliseconds: number }> {
  const began = performance.now();
  const outcome = await calls[call](text);
  return { outcome, milliseconds: outcome.slowest ?? performance.now() - began };
}

process.on('message', (task: VictimTask) => void attend(task).then((answer) => process.send?.(answer)));
process.on('disconnect', () => process.exit(0));
