import { truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { POLICY_FILE_LIMITS, readPolicyFiles } from '../../../src/cluster/sources/directory-source.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { PolicyFileLimits } from '../../../src/cluster/sources/directory-source.ts';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

const files = (texts: readonly string[]): Promise<string[]> =>
  Promise.all(
    texts.map(async (text, index) => {
      const file = join(directory, `${index}.yaml`);
      await writeFile(file, text);
      return file;
    }),
  );

const readTexts = async (...texts: string[]): ReturnType<typeof readPolicyFiles> =>
  readPolicyFiles(await files(texts), POLICY_FILE_LIMITS);

/** What is wrong with files of these texts, as `file:line:column: message`. */
async function complaints(texts: readonly string[], limits: Partial<PolicyFileLimits> = {}): Promise<string[]> {
  const { problems } = await readPolicyFiles(await files(texts), { ...POLICY_FILE_LIMITS, ...limits });
  return problems.map(({ file, line, column, message }) => `${basename(file)}:${line}:${column}: ${message}`);
}

const policy = (index: number): string => `apiVersion: probewright.dev/v1alpha1
kind: ProbePolicy
metadata:
  name: policy-${index}
  namespace: namespace-${index}
spec:
  workloadSelector:
    matchLabels:
      app.kubernetes.io/name: app-${index}
    matchExpressions:
      - key: tier
        operator: In
        values: [web, api]
  containers: [app]
  port: 8080
  kubernetesProbeEndpoints:
    livenessProbe: /livez
    readinessProbe: /readyz
  probes:
    readinessProbe:
      periodSeconds: 5
      failureThreshold: 3
      timeoutSeconds: 2
    livenessProbe:
      periodSeconds: 10
      failureThreshold: 6
  slowStart:
    startupSeconds: 120
  checks:
    required-readiness: { action: Deny }
    grace-period: { action: Warn }
`;
const policies = Array.from({ length: 1000 }, (_, index) => policy(index));

describe('a thousand policies of thirty lines are read', () => {
  it.each([
    ['as documents', policies.map((text) => `---\n${text}`).join('')],
    [
      'as one List',
      `apiVersion: v1\nkind: List\nitems:\n${policies.map((text) => `- ${text.trim().replaceAll('\n', '\n  ')}\n`).join('')}`,
    ],
  ])('%s', async (_form, text) => {
    const read = await readTexts(text);
    expect([read.problems, read.policies.length]).toEqual([[], 1000]);
  });
});

describe('a document that memory has no room for is one problem', () => {
  // A tenth of the limit and of its texts: the test after these has the whole one.
  const limits = { tokens: { ...POLICY_FILE_LIMITS.tokens, document: 30_000 } };
  const tooMany = 'this document has more than 30000 tokens; split it with "---" lines';
  it.each([
    ['ends of lists that never began', ']'.repeat(31_000), 1],
    ['one list', `[${'1,'.repeat(20_000)}1]`, 1],
    ['items without anything in them', '- \n'.repeat(11_000), 10_000],
    ['keys without anything in them', '? \n'.repeat(11_000), 10_000],
    ['one mapping after the other', '{a: 1}'.repeat(4000), 1],
    ['a template and starts of lists', `{{ {a: 1}${'['.repeat(31_000)}`, 1],
    ['JSON objects', '{}'.repeat(16_000), 1],
    ['one quoted text', `a: "${'x'.repeat(130_000)}"`, 1],
    ['lines of a block of text', `a: >\n${'\n'.repeat(31_000)} x\n`, 2],
    ['aliases', `${aliases(4)}e: [${'*c,'.repeat(30)}]\n`, 4],
  ])('%s', async (_what, text, line) =>
    expect(await complaints([text], limits)).toEqual([
      expect.stringMatching(new RegExp(`^0\\.yaml:${line}:\\d+: ${tooMany}$`)),
    ]),
  );

  it('and the documents beside it are read', async () => {
    const read = await readTexts(`${policy(1)}---\n${']'.repeat(310_000)}\n---\n${policy(2)}`);
    expect(read.problems.map(({ message }) => message)).toEqual([
      'this document has more than 300000 tokens; split it with "---" lines',
    ]);
    expect(read.policies.map(({ name }) => name)).toEqual(['policy-1', 'policy-2']);
  });

  it('but a mistake in a large one is told as what it is', async () => {
    const [told, ...others] = await complaints([']'.repeat(200_000)]);
    expect([told, others]).toEqual(['0.yaml:1:1: Unexpected flow-seq-end token in YAML document: "]"', []]);
  });
});

/** Every anchor has ten times as many values as the one before. */
function aliases(levels: number): string {
  const names = 'abcdefgh'.slice(0, levels - 1).split('');
  return names
    .map((name, index) => {
      const item = index === 0 ? '1' : `*${names[index - 1] ?? ''}`;
      return `${name}: &${name} [${Array.from({ length: 10 }, () => item).join(',')}]\n`;
    })
    .join('');
}

describe('files that are too much', () => {
  it('are a problem of their own when one is too large, and the others are read', async () => {
    const [large, small] = await files(['', policy(1)]);
    await truncate(large ?? '', 100 * 1024 * 1024);
    const read = await readPolicyFiles([large ?? '', small ?? ''], POLICY_FILE_LIMITS);
    expect(read.problems).toEqual([{ file: large, line: 1, column: 1, message: 'the file has more than 3 MiB' }]);
    expect(read.policies).toHaveLength(1);
  });

  it('are a problem of their own when one is no UTF-8, and the others are read', async () => {
    const [bad = '', good = ''] = await files(['', policy(1)]);
    await writeFile(bad, Uint8Array.of(0x61, 0x0a, 0xff));
    const read = await readPolicyFiles([bad, good], POLICY_FILE_LIMITS);
    expect(read.problems.map(({ message }) => message)).toEqual(['it is not UTF-8: byte 0xff in line 2']);
    expect(read.policies).toHaveLength(1);
  });

  it('are not read from where they are too large together', async () => {
    const text = `#${'x'.repeat(700_000)}\n`;
    expect(await complaints([text, text, text, text], { mebibytes: 1 })).toEqual([
      '1.yaml:1:1: up to here, the files have more than 1 MiB together',
    ]);
  });

  it('are not read from where they have too many tokens together', async () => {
    const limits = { tokens: { document: 20, all: 30 } };
    expect(await complaints(['---\n[1, 2]\n---\n[', ']'.repeat(25), '{'], limits)).toEqual([
      expect.stringMatching(/^0\.yaml:2:1: must be an object/),
      expect.stringMatching(/^0\.yaml:4:/),
      expect.stringMatching(/^1\.yaml:1:\d+: up to here, the files have more than 30 tokens together$/),
    ]);
  });

  it('are not read further once there are problems enough', async () =>
    expect(await complaints(['{', '[', '{', '['], { problems: 2 })).toEqual([
      expect.stringMatching(/^0\.yaml:/),
      expect.stringMatching(/^1\.yaml:/),
      '2.yaml:1:1: this file and those after it were not read: there are problems enough already',
    ]));
});

it('of one file a hundred problems are told, and that there are more', async () => {
  for (const text of [
    '---\na: 1\n'.repeat(60_000),
    'a: 1\n'.repeat(5000),
    `kind: List\nitems: [${'1,'.repeat(5000)}1]`,
  ]) {
    const told = await complaints([text]);
    expect([told.length, told.at(-1)]).toEqual([
      101,
      expect.stringMatching(/: more problems, from here on, are not listed$/),
    ]);
  }
});

it('of a message that repeats a long text its beginning is told', async () => {
  const [told] = await complaints([`${'a'.repeat(1000)}: 1\n${'a'.repeat(1000)}: 2\n`]);
  expect(told?.length).toBeLessThan(520);
});

it('reading ends when nobody waits for it any more', async () => {
  let documents = 0;
  const read = await readPolicyFiles(
    await files([policies.join('---\n'), policy(2000)]),
    POLICY_FILE_LIMITS,
    () => ++documents >= 10,
  );
  expect(read.policies).toHaveLength(10);
});

it('others have their turn between documents, but not after every small one', async () => {
  let turns = 0;
  const takeTurn = (): Promise<void> => {
    turns += 1;
    return Promise.resolve();
  };
  const [file = ''] = await files([policies.join('---\n')]);
  const read = await readPolicyFiles([file], POLICY_FILE_LIMITS, () => false, takeTurn);
  expect(read.policies).toHaveLength(1000);
  // A quarter of a million tokens, twenty thousand a turn.
  expect(turns).toBeGreaterThanOrEqual(10);
  expect(turns).toBeLessThan(20);
});
