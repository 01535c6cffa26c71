import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventMessage, NotRun } from '../../../src/cli/try/answer.ts';
import { execVerdict, runProgram } from '../../../src/cli/try/exec-probe.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';

const node = process.execPath;
/** For an answer that comes at once, also on a busy machine. */
const PATIENCE = 30_000;

/** A process that has ended stays a zombie where nobody waits for it. */
function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

const missing =
  'OCI runtime exec failed: exec failed: unable to start container process: exec: "probe": executable file not found in $PATH: unknown';

describe('an exec probe', () => {
  it.each([
    ['exit code 0', 'process.exit(0)', 'success', ''],
    ['exit code 3 with a word', 'console.log("sick"); process.exitCode = 3', 'failure', 'sick\n'],
    ['words on both outputs', 'console.error("bad"); process.exitCode = 1', 'failure', 'bad\n'],
    ['no words', 'process.exitCode = 2', 'failure', ''],
    ['a command that is killed', 'process.kill(process.pid, "SIGKILL")', 'failure', ''],
    ['too many words', 'console.log("a".repeat(50000)); process.exitCode = 1', 'failure', 'a'.repeat(10 * 1024)],
  ])('gets the verdict of the kubelet for %s', async (_name, script, result, text) => {
    const command = [node, '-e', script];
    const end = await runProgram(command, PATIENCE);
    expect(execVerdict(command, end, 1)).toMatchObject({ result, text });
  });

  it('fails when the time is over, with the text of the kubelet', async () => {
    const end = await runProgram([node, '-e', 'setInterval(() => {}, 1000)'], 300);
    const text = 'command timed out: "probe --all" timed out after 1s';
    expect(execVerdict(['probe', '--all'], end, 1)).toEqual({ result: 'failure', text });
  });

  it('ends with all that its command started', async () => {
    const started = 'const { pid } = require("node:child_process").spawn("sleep", ["60"], { stdio: "inherit" });';
    const end = await runProgram([node, '-e', `${started} console.log(pid)`], 2000);
    const pid = Number(end.output);
    expect({ code: end.code, pid }).toEqual({ code: undefined, pid: expect.any(Number) as number });
    await waitUntil('what the command started has ended', () => hasEnded(pid));
  });

  it('has no result when the runtime does not find the program', () => {
    const answer = execVerdict(['probe'], { code: 126, output: `${missing}\n` }, 1);
    expect(eventMessage('livenessProbe', answer)).toBe(
      `Liveness probe errored and resulted in unknown state: rpc error: code = Unknown desc = failed to exec in container: ${missing}`,
    );
  });

  it('is not run when the prefix is no program of this machine', async () => {
    await expect(runProgram(['no-such-runtime', 'exec'], 1000)).rejects.toThrow(
      new NotRun('no-such-runtime is not on the PATH'),
    );
  });
});
