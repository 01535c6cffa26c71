import { runProbewright } from '../run-probewright.ts';

/** A result of `--output json`. */
export interface Tried {
  readonly container: string;
  readonly probe: string;
  readonly handler: string;
  readonly result: string;
  readonly event: string;
  readonly code: number | null;
  readonly milliseconds: { readonly median: number; readonly longest: number } | null;
  readonly notes: readonly string[];
  readonly cause: string | null;
  readonly remedy: string;
  readonly edits: readonly { readonly path: string; readonly value: unknown }[];
}

/** A Pod with one container. Its probes and ports are JSON, which is YAML. */
export function podOf(container: object): string {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
    spec: { containers: [{ name: 'app', image: 'registry.example/app:1', ...container }] },
  };
  return JSON.stringify(pod);
}

/** Runs `try` over a Pod, and returns the results with the exit code. */
export async function runTry(
  container: object,
  args: readonly string[] = [],
): Promise<{ readonly code: number; readonly probes: readonly Tried[]; readonly stderr: string }> {
  const where = args.some((arg) => /^--(?:address|docker)/.test(arg)) ? [] : ['--address', '127.0.0.1'];
  const { code, stdout, stderr } = await runProbewright(['try', '-', '--output', 'json', ...where, ...args], {
    stdin: podOf(container),
    monotonic: Date.now,
  });
  const probes = stdout === '' ? [] : (JSON.parse(stdout) as { readonly probes: readonly Tried[] }).probes;
  return { code, probes, stderr };
}

/** Runs the one probe of a container. */
export async function tryOne(container: object, args: readonly string[] = []): Promise<Tried> {
  const { probes, stderr } = await runTry(container, args);
  const [only] = probes;
  if (only === undefined) throw new Error(`no result: ${stderr}`);
  return only;
}
