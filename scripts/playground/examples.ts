import { readFileSync } from 'node:fs';

/** A case that the playground offers. */
export interface PlaygroundExample {
  readonly title: string;
  readonly manifests: string;
  readonly policies: string;
}

const OWN = 'pages/playground/examples';

/** The examples in the order of the menu, with the files that they show. */
const FILES: readonly { readonly title: string; readonly manifests: string; readonly policies: readonly string[] }[] = [
  { title: 'A port name with a typo', manifests: `${OWN}/port-typo.yaml`, policies: [] },
  {
    title: 'A policy adds missing probes',
    manifests: 'examples/quick-start/web.yaml',
    policies: ['examples/quick-start/policy.yaml'],
  },
  {
    title: 'A slow start, and a startup probe for it',
    manifests: `${OWN}/slow-start.yaml`,
    policies: [`${OWN}/slow-start-policy.yaml`],
  },
  {
    title: 'Policies in layers',
    manifests: 'examples/manifests/static.yaml',
    policies: ['apps', 'cluster-defaults', 'publishing'].map((name) => `examples/policies/${name}.yaml`),
  },
];

export function playgroundExamples(): PlaygroundExample[] {
  const read = (file: string): string => readFileSync(file, 'utf8');
  return FILES.map(({ title, manifests, policies }) => ({
    title,
    manifests: read(manifests),
    policies: policies.map(read).join('---\n'),
  }));
}
