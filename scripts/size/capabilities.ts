/** What users get, with the paths of src that give it. A file belongs to the longest of its paths. */
const CAPABILITIES: Readonly<Record<string, readonly string[]>> = {
  'finds bad probes': ['engine/checks'],
  'knows commands, images and ports': ['engine/command', 'engine/port'],
  'gives missing probes, with times': ['engine/defaulting', 'engine/time'],
  'policies, exceptions, verdicts': ['engine/policy', 'engine/verdict'],
  'reads workloads and facts': ['engine/workload', 'engine/probe', 'engine/facts', 'base'],
  'reads and edits YAML': ['yaml'],
  'webhook: reviews over HTTPS': ['webhook', 'process', 'main.ts'],
  'webhook: certificates': ['webhook/certificates'],
  'reads the cluster': ['cluster'],
  'observer: leader, metrics': ['observer'],
  'observer: scan and reports': ['observer/scan', 'observer/reports'],
  'observer: failing workloads': ['observer/failing'],
  'observer: missed Pods': ['observer/missed'],
  'observer: learned starts': ['observer/starts', 'cli/starts'],
  'native policies': ['native', 'cli/export', 'observer/native'],
  check: ['cli/check', 'cli/checks'],
  fix: ['cli/fix', 'cli/krm'],
  explain: ['cli/explain', 'explain/timeline', 'explain/drawing'],
  'plan, and the effect of a policy': ['cli/plan', 'webhook/policy-effect'],
  'report page': ['cli/report', 'explain/fleet-page', 'observer/dashboard'],
  snapshot: ['cli/snapshot'],
  try: ['cli/try'],
  'editor (lsp)': ['cli/lsp'],
  'inputs and outputs of commands': ['cli'],
  'npm package and playground': ['package'],
};

/**
 * The files of each capability.
 *
 * @param files paths that begin with `src/`
 * @throws Error for a file that gives nothing that is named here
 */
export function filesByCapability(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const paths = Object.entries(CAPABILITIES)
    .flatMap(([name, list]) => list.map((path) => [name, `src/${path}`] as const))
    .toSorted(([, a], [, b]) => b.length - a.length);
  const nameOf = (file: string): string => {
    const found = paths.find(([, path]) => file === path || file.startsWith(`${path}/`));
    if (found === undefined) throw new Error(`${file} belongs to no capability of scripts/size/capabilities.ts`);
    return found[0];
  };
  const groups = Map.groupBy(files, nameOf);
  return new Map(Object.keys(CAPABILITIES).map((name) => [name, groups.get(name) ?? []]));
}
