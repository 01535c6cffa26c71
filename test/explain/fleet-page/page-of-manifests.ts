import { runProbewright } from '../../cli/run-probewright.ts';

/** The page of a fleet with the policies of the examples. */
export async function pageOf(manifests: string): Promise<string> {
  const { stdout } = await runProbewright(
    ['report', '-', '--policies', 'examples/policies', '--now', '2026-11-20T12:00:00Z'],
    { stdin: manifests },
  );
  return stdout;
}
