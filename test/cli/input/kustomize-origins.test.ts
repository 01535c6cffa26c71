import { expect, it } from 'vitest';
import { withoutOrigins } from '../../../src/cli/input/kustomize-origins.ts';

const origin = (...lines: readonly string[]): string =>
  `    config.kubernetes.io/origin: |\n${lines.map((line) => `      ${line}\n`).join('')}`;
const PLAIN = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n';
const ANNOTATED = PLAIN.replace('  name', '  annotations:\n    a: b\n    z: |\n      config\n  name');

it('an output of kustomize is as without origins, and each document has its own', () => {
  const first = PLAIN.replace('  name', `  annotations:\n${origin('path: ../base/web.yaml')}  name`);
  const second = ANNOTATED.replace('    z', `${origin('path: own.yaml')}    z`);
  expect(withoutOrigins(`${first}---\n${second}`)).toEqual({
    text: `${PLAIN}---\n${ANNOTATED}`,
    origins: ['../base/web.yaml', 'own.yaml'],
  });
});

it('a generated object and one of another repository have no file', () => {
  const generated = PLAIN.replace(
    '  name',
    `  annotations:\n${origin('configuredIn: a.yaml', 'configuredBy:', '  kind: X')}  name`,
  );
  const remote = PLAIN.replace(
    '  name',
    `  annotations:\n${origin('path: x.yaml', 'repo: https://example.test')}  name`,
  );
  expect(withoutOrigins(`${generated}---\n${remote}`)).toEqual({
    text: `${PLAIN}---\n${PLAIN}`,
    origins: [undefined, undefined],
  });
});

it('an annotation of the same name is kept where it is none of the object', () => {
  const text = `apiVersion: v1\ndata:\n  a: |\n    metadata:\n      annotations:\n${origin('path: x.yaml').replaceAll('  ', '    ')}kind: ConfigMap\nmetadata:\n  labels:\n    config.kubernetes.io/origin: x\n  name: a\n`;
  const template = `kind: Deployment\nmetadata:\n  name: a\nspec:\n  template:\n    metadata:\n      annotations:\n${origin('path: x.yaml').replace('    c', '        c').replace('      path', '          path')}`;
  for (const each of [text, template, '', 'built: true\n'])
    expect(withoutOrigins(each)).toEqual({ text: each, origins: [undefined] });
});
