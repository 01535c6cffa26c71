import { expect, it } from 'vitest';
import { EXPORT_REPORTS } from '../../../src/cli/export/report.ts';
import type { ExportedConstruct } from '../../../src/native/constructs.ts';

const KINDS = ['MutatingAdmissionPolicy', 'ValidatingAdmissionPolicy'] as const;
const MUTATING = 'MutatingAdmissionPolicy v1 (on by default since Kubernetes 1.36)';

const LEARNED: ExportedConstruct = {
  ...{ id: 'learned', level: 'not exported', text: 'learned starts' },
  uses: ['ProbePolicy/apps/web: slowStart.learned', 'ClusterProbePolicy/all: slowStart.learned'],
};
const SERVICES: ExportedConstruct = { id: 'services', level: 'not exported', text: 'Services', uses: undefined };
const PORT: ExportedConstruct = {
  id: 'port',
  level: 'equal',
  text: 'the port',
  uses: ['ClusterProbePolicy/all: port'],
};
const MESH: ExportedConstruct = { id: 'mesh', level: 'fewer', text: 'a mesh', uses: undefined };
const ALL = [LEARNED, SERVICES, PORT, MESH];

it('the text has a line for each construct and each use, the worst level last, and the two sentences', () => {
  expect(EXPORT_REPORTS.text(ALL, ['MutatingAdmissionPolicy'])).toBe(
    [
      'equal         port: the port',
      '                ClusterProbePolicy/all: port',
      'fewer         mesh: a mesh',
      'not exported  learned: learned starts',
      '                ProbePolicy/apps/web: slowStart.learned',
      '                ClusterProbePolicy/all: slowStart.learned',
      'not exported  services: Services',
      `Needs ${MUTATING}.`,
      'Policies need 1 construct that the native policy leaves out: learned.',
      '',
    ].join('\n'),
  );
});

it('Markdown has the same rows as a table, and names the Pods where no policy is needed for them', () => {
  expect(EXPORT_REPORTS.markdown(ALL, ['MutatingAdmissionPolicy'])).toBe(
    [
      '| level | construct | what it is | used by |',
      '|---|---|---|---|',
      '| equal | port | the port | `ClusterProbePolicy/all: port` |',
      '| fewer | mesh | a mesh | every Pod |',
      '| not exported | learned | learned starts | `ProbePolicy/apps/web: slowStart.learned`<br>`ClusterProbePolicy/all: slowStart.learned` |',
      '| not exported | services | Services | every Pod |',
      '',
      `Needs ${MUTATING}.`,
      'Policies need 1 construct that the native policy leaves out: learned.',
      '',
    ].join('\n'),
  );
});

it('JSON has the needs with the version of each kind, and the constructs in the same order', () => {
  const json = EXPORT_REPORTS.json(ALL, KINDS);
  const api = { apiVersion: 'admissionregistration.k8s.io/v1' };
  expect(JSON.parse(json)).toEqual({
    needs: [
      { ...api, kind: 'MutatingAdmissionPolicy', kubernetes: '1.36' },
      { ...api, kind: 'ValidatingAdmissionPolicy', kubernetes: '1.30' },
    ],
    constructs: [PORT, MESH, LEARNED, { id: 'services', level: 'not exported', text: 'Services' }],
  });
  expect([json.slice(0, 14), json.endsWith('\n}\n')]).toEqual(['{\n  "needs": [', true]);
});

it.each<[string, readonly ExportedConstruct[], string]>([
  ['no construct', [], 'No policy needs what is not exported.'],
  ['uses of what is exported', [PORT], 'No policy needs what is not exported.'],
  ['what concerns every Pod', [SERVICES, MESH], 'No policy needs what is not exported.'],
  [
    'two uses of what is not exported',
    [LEARNED, SERVICES, { ...LEARNED, id: 'closed-layer' }],
    'Policies need 2 constructs that the native policy leaves out: learned, closed-layer.',
  ],
])('the last sentence says what the native policy leaves out of policies: %s', (_what, constructs, sentence) => {
  const needs = `Needs ${MUTATING} and ValidatingAdmissionPolicy v1 (on by default since Kubernetes 1.30).`;
  for (const format of ['text', 'markdown'] as const)
    expect(EXPORT_REPORTS[format](constructs, KINDS).split('\n').slice(-3)).toEqual([needs, sentence, '']);
});

it('hidden characters and commands of CI hosts in names are visible', () => {
  const hostile: ExportedConstruct = { id: 'a', level: 'equal', text: 'x\u202ey', uses: ['::warning::\u001b[2J'] };
  const text = EXPORT_REPORTS.text([hostile], KINDS).split('\n').slice(0, 2);
  expect(text).toEqual([String.raw`equal         a: x\u202ey`, String.raw`                \u003a:warning::\u001b[2J`]);
  const row = String.raw`| equal | a | x\u202ey | ` + '`' + String.raw`\u003a:warning::\u001b[2J` + '` |';
  expect(EXPORT_REPORTS.markdown([hostile], KINDS).split('\n')[2]).toBe(row);
});
