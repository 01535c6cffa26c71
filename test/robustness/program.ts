import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { makeServingPair } from '../support/certificate.ts';
import type { LostTime } from './lost-time.ts';

/** How the program is started. */
export interface ProgramOptions {
  /** For Node, before the script: a heap limit, permissions. */
  readonly nodeArgs?: readonly string[];
  /** More flags for `serve`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A file that standard output goes to, in place of these tests. */
  readonly stdout?: number;
  readonly policy?: string;
  /** The text of a kubeconfig: the program then serves a cluster, from namespace probewright. */
  readonly kubeconfig?: string;
}

/** What a probe inside the process told. */
export interface Vitals {
  readonly heapUsed: number;
  readonly rss: number;
  /** Files, environment variables and connections that were asked for since the last look. */
  readonly touched: readonly string[];
}

export const POLICY = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: all }
spec:
  containers: ["*"]
  kubernetesProbeEndpoints: { startupProbe: /s, livenessProbe: /l, readinessProbe: /r }
  checks: { exec-forbidden: { action: Deny, names: [ls] }, required-any: { action: Warn } }
`;

/** The bundle of the container image as a child process, serving policies from files. Whoever starts it stops it. */
export class Program {
  readonly directory: string;
  readonly process: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  port = 0;
  healthPort = 0;
  #output = '';

  private constructor(directory: string, child: ChildProcess) {
    this.directory = directory;
    this.process = child;
    this.exited = once(child, 'exit').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        // Only the end is of interest, and a soak writes a lot.
        this.#output = (this.#output + text).slice(-200_000);
      });
  }

  /** A directory with a serving pair and policies, and the program that serves them. */
  static async start(options: ProgramOptions = {}): Promise<Program> {
    const directory = await mkdtemp(join(tmpdir(), 'probewright-robustness-'));
    const { certPem, keyPem } = await makeServingPair();
    const { policy = POLICY, kubeconfig } = options;
    await mkdir(join(directory, 'policies'));
    const files = {
      'tls.crt': certPem,
      'tls.key': keyPem,
      'policies/all.yaml': policy,
      ...(kubeconfig && { kubeconfig }),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
    const program = Program.#spawn(directory, options);
    await program.#untilServing().catch(async (error: unknown) => {
      await program.stop();
      throw error;
    });
    return program;
  }

  /** A program that ends with the test. */
  static async startForTest(options: ProgramOptions = {}): Promise<Program> {
    const program = await Program.start(options);
    onTestFinished(() => program.stop());
    return program;
  }

  static #spawn(directory: string, options: ProgramOptions): Program {
    const flags = {
      '--policies': join(directory, 'policies'),
      '--tls-cert': join(directory, 'tls.crt'),
      '--tls-key': join(directory, 'tls.key'),
      '--host': '127.0.0.1',
      '--port': '0',
      '--health-port': '0',
      ...(options.kubeconfig && { '--kubeconfig': join(directory, 'kubeconfig'), '--namespace': 'probewright' }),
    };
    const built = inject('builtProgram');
    const args = [
      ...['--expose-gc', '--import', join(built, 'inside.js'), ...(options.nodeArgs ?? [])],
      ...[join(built, 'probewright.js'), 'serve', ...Object.entries(flags).flat(), ...(options.args ?? [])],
    ];
    const stdio: StdioOptions = ['ignore', options.stdout ?? 'pipe', 'pipe', 'ipc'];
    // Nothing of these tests' own environment: a coverage tool's variables, for one, would make Node write files.
    const child = spawn(process.execPath, args, { cwd: directory, env: { ...options.env }, stdio });
    return new Program(directory, child);
  }

  output(): string {
    return this.#output;
  }

  /** What is left on the heap after a garbage collection, and what was touched since the last look. */
  async vitals(): Promise<Vitals> {
    const [answer] = (await this.#tell({ tell: 'vitals' })) as [Vitals];
    return answer;
  }

  /**
   * The most processor time, in milliseconds, that a turn of the event loop has used since the last look, and when the program had no processor;
   * from the first look on.
   */
  async longestTurn(): Promise<{ longestTurn: number; lost: LostTime }> {
    const [answer] = (await this.#tell({ tell: 'longest turn' })) as [{ longestTurn: number; lost: LostTime }];
    return answer;
  }

  /** The most that the process has had resident, in bytes. */
  async peakMemory(): Promise<number> {
    const status = await readFile(`/proc/${this.process.pid ?? 0}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }

  /** Blocks the event loop. */
  stall(milliseconds: number): void {
    this.process.send({ stall: milliseconds });
  }

  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill(signal);
    await this.exited;
    await rm(this.directory, { recursive: true, force: true });
  }

  async #tell(message: object): Promise<unknown[]> {
    const answer = once(this.process, 'message');
    this.process.send(message);
    return (await answer) as unknown[];
  }

  async #untilServing(): Promise<void> {
    const ended = this.exited.then(({ code, signal }) => {
      throw new Error(`ended with ${signal ?? String(code)} before it served: ${this.#output}`);
    });
    ended.catch(() => undefined);
    const [ports] = (await Promise.race([this.#tell({ tell: 'ports' }), ended])) as [
      { port: number; healthPort: number },
    ];
    Object.assign(this, ports);
  }
}
