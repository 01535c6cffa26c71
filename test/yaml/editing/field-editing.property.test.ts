import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { withEdits, type FieldEdit } from '../../../src/base/json/field-path.ts';
import { YAML_STYLE } from '../yaml-styles.ts';
import { YamlFieldEditor } from '../../../src/yaml/editing/field-editing.ts';
import { parseYamlDocuments } from '../../../src/yaml/reading/documents.ts';
import { runs } from '../../support/runs.ts';

type Path = FieldEdit['path'];

const values = (text: string): unknown[] => parseYamlDocuments('t', text).documents.map(({ value }) => value);

const set = (path: Path, value: unknown): FieldEdit => ({ path, value });
const remove = (path: Path): FieldEdit => ({ path, value: null });

/** The text with the edits made in its first document. */
function edited(text: string, ...edits: FieldEdit[]): string {
  const editor = new YamlFieldEditor(text);
  const plan = editor.verifiedPlan(0, edits);
  if (plan.kind === 'refused') throw new Error(plan.reason);
  return editor.apply([plan]);
}

const deployment = `# Source: shop/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: "web", labels: { app: web } }   # flow stays flow
spec:
  template:
    spec:
      containers:
        - name: app          # the application
          ports:
            - containerPort: 8080   # plain
            # - containerPort: 9090
          livenessProbe:
            # comment on the handler
            httpGet:
              path: '/healthz'   # quoted
              port: htp
              initialDelaySeconds: 5   # misplaced
            timeoutSeconds:   30   # longer than the period

        - image: "registry/logs"
          name: logs
`;
const probe = ['spec', 'template', 'spec', 'containers', 0, 'livenessProbe'];

const CASES = parse(readFileSync('test/fixtures/yaml/edits.yaml', 'utf8')) as readonly {
  readonly name: string;
  readonly text: string;
  readonly edits: readonly FieldEdit[];
  readonly after: string;
}[];

it.each(CASES)('$name', ({ text, edits, after }) => expect(edited(text, ...edits)).toBe(after));

describe('edits of a block document', () => {
  it('keep CRLF, a byte order mark and a missing line break at the end', () => {
    const crlf = `\uFEFF${deployment.replaceAll('\n', '\r\n')}`;
    const edits = [
      set([...probe, 'periodSeconds'], 9),
      remove([...probe, 'timeoutSeconds']),
      set([...probe, 'exec'], { command: ['x'] }),
    ];
    expect(edited(crlf, ...edits)).toBe(`\uFEFF${edited(deployment, ...edits).replaceAll('\n', '\r\n')}`);
    expect(edited('a: 1\nb: 2', set(['b'], 3))).toBe('a: 1\nb: 3');
  });

  it('touch only the document that they name', () => {
    const editor = new YamlFieldEditor('a: 1\n---\na: 1 # c\n---\n{"a": 1}\n');
    const plans = [1, 2].map((document) => editor.verifiedPlan(document, [set(['a'], 2)]));
    expect(editor.apply(plans)).toBe('a: 1\n---\na: 2 # c\n---\n{"a": 2}\n');
    expect(editor.verifiedPlan(3, [])).toEqual({ kind: 'refused', reason: 'there is no document 4' });
  });
});

describe('edits of flow collections and JSON', () =>
  it.each([2, 4, '\t', undefined])('leave JSON indented by %j as JSON.stringify would have it', (indent) => {
    const before = { a: { x: 1, w: [1, 2], z: 'q' }, l: [{ p: 1 }, { p: 2 }], e: [] };
    const edits = [
      remove(['a', 'x']),
      set(['a', 'z'], 5),
      set(['l', 2], { p: 3 }),
      remove(['l', 0]),
      set(['e', 0], { n: 'm' }),
      set(['a', 'n', 'deep'], ['v']),
    ];
    const text = JSON.stringify(before, null, indent);
    expect(edited(text, ...edits)).toBe(JSON.stringify(withEdits(before, edits), null, indent));
    const crlf = text.replaceAll('\n', '\r\n');
    expect(edited(crlf, ...edits)).toBe(
      JSON.stringify(withEdits(before, edits), null, indent).replaceAll('\n', '\r\n'),
    );
  }));

describe('anchors', () => {
  it.each<[string, string, FieldEdit, string]>([
    [
      'inside a shared anchor',
      'a: &x {b: 1}\nc: *x\n',
      set(['a', 'b'], 2),
      'a belongs to anchor "x", which other places use',
    ],
    ['inside an alias', 'a: &x {b: 1}\nc: *x\n', set(['c', 'b'], 2), 'c is an alias of the content of anchor "x"'],
    ['of a shared scalar', 'a: &x 1\nc: *x\n', set(['a'], 2), 'a belongs to anchor "x", which other places use'],
    [
      'that removes a shared anchor',
      'a: {b: &x 1}\nc: *x\n',
      remove(['a']),
      'a belongs to anchor "x", which other places use',
    ],
    [
      'inside a merged mapping',
      'a: &x {b: {d: 1}}\nc:\n  <<: *x\n',
      set(['c', 'b', 'd'], 2),
      'c.b comes from a merge key (<<)',
    ],
    [
      'that removes a merged field',
      'a: &x {b: 1}\nc:\n  <<: *x\n  e: 1\n',
      remove(['c', 'b']),
      'c.b comes from a merge key (<<)',
    ],
  ])('refuse an edit %s', (_name, text, edit, reason) =>
    expect(new YamlFieldEditor(text).verifiedPlan(0, [edit])).toEqual({ kind: 'refused', reason }),
  );

  it('refuse a document that cannot be read', () =>
    expect(new YamlFieldEditor('a: [\n').verifiedPlan(0, [set(['a'], 1)])).toMatchObject({ kind: 'refused' }));
});

/** Every path in a JSON value but the root, and the paths right behind the ends of lists and mappings. */
function paths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const steps: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const inner = steps.flatMap((step) => paths((value as Record<string | number, unknown>)[step], [...path, step]));
  const end = Array.isArray(value) ? value.length : 'added';
  return [...(path.length > 0 ? [path] : []), ...inner, [...path, end]];
}

it('a text is edited only if all its documents have the values of the edits', () => {
  const editor = new YamlFieldEditor('a: 1\n---\nb: 1\n');
  const edits = new Map([[1, [set(['b'], 2)]]]);
  expect(editor.isEdited('a: 1\n---\nb: 2\n', edits)).toBe(true);
  expect(editor.isEdited('a: 1\n---\nb: 3\n', edits)).toBe(false);
  expect(editor.isEdited('a: 2\n---\nb: 2\n', edits)).toBe(false);
  expect(editor.isEdited('a: 1\n---\nb: 2\n---\nc: 1\n', edits)).toBe(false);
});

it.each([
  ['{a :, b: 1}\n', [set(['a'], 3)]],
  ['a: 1\na: 2\nb: 3\n', [remove(['a']), set(['c'], 2)]],
])('the edits of %j are refused, as the text would read as another value', (text, edits) => {
  const editor = new YamlFieldEditor(text);
  expect(editor.verifiedPlan(0, edits)).toEqual({
    kind: 'refused',
    reason: 'no way was found to write into the document without changing something else',
  });
  const plan = editor.reprintedPlan(0, edits);
  expect(plan.kind).toBe('planned');
  expect(values(editor.apply([plan]))).toEqual(
    withEdits(
      values(text),
      edits.map(({ path, value }) => ({ path: [0, ...path], value })),
    ),
  );
});

describe('any edits of any document', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const root = fc.dictionary(fc.string(), json, { minKeys: 1, maxKeys: 5 });
  const style = fc.record(YAML_STYLE);
  const choice = fc.record({ where: fc.nat(), value: fc.oneof(json, fc.constant(null)) });

  it('lead to the values of withEdits, and other documents keep every byte', () =>
    fc.assert(
      fc.property(
        root,
        style,
        fc.boolean(),
        fc.array(choice, { minLength: 1, maxLength: 4 }),
        (value, options, crlf, choices) => {
          const own = stringify(value, { version: '1.1', aliasDuplicateObjects: false, ...options });
          const text = crlf
            ? `z: 1\n---\n${own}---\nw: [1, 2]\n`.replaceAll('\n', '\r\n')
            : `z: 1\n---\n${own}---\nw: [1, 2]\n`;
          const { documents, problems } = parseYamlDocuments('t', text);
          fc.pre(problems.length === 0 && documents.length === 3);
          const before = documents[1]?.value;
          let after = before;
          const edits = choices.flatMap(({ where, value: to }): FieldEdit[] => {
            const all = paths(after);
            const edit = { path: all[where % all.length] ?? [], value: JSON.parse(JSON.stringify(to)) as unknown };
            if (edit.path.length === 0) return [];
            after = withEdits(after, [edit]);
            return [edit];
          });
          fc.pre(Object.keys(after as object).length > 0);
          const editor = new YamlFieldEditor(text);
          const plan = editor.verifiedPlan(1, edits);
          if (plan.kind === 'refused') {
            // The root has no place of its own to be replaced in, and `<<` is a merge key.
            expect(plan.reason).toMatch(/^the edited value is the whole document$|comes from a merge key \(<<\)$/);
            return;
          }
          const result = editor.apply([plan]);
          expect(values(result)).toEqual([{ z: 1 }, after, { w: [1, 2] }]);
          const eol = crlf ? '\r\n' : '\n';
          expect(result.startsWith(`z: 1${eol}---${eol}`) && result.endsWith(`---${eol}w: [1, 2]${eol}`)).toBe(true);
          if (crlf) expect(/(?<!\r)\n/.test(result)).toBe(/(?<!\r)\n/.test(text));
        },
      ),
      { numRuns: runs(1000) },
    ));

  it('keep every byte, with comments, before and behind the edited field', () => {
    const field = fc.tuple(json, style).map(([value, options]) => ({ value, options }));
    fc.assert(
      fc.property(field, field, field, choice, fc.boolean(), (first, middle, last, { where, value: to }, crlf) => {
        const [before, own, behind] = [first, middle, last].map(({ value, options }, index) =>
          stringify({ [`f${index}`]: value }, { version: '1.1', ...options, collectionStyle: 'block' }),
        );
        const ended = (text: string): string => (crlf ? text.replaceAll('\n', '\r\n') : text);
        const [head, tail] = [ended(`# 1\n${before ?? ''}# 2\n`), ended(`# 3\n${behind ?? ''}# 4\n`)];
        const text = head + ended(own ?? '') + tail;
        const { documents, problems } = parseYamlDocuments('t', text);
        const value = documents[0]?.value as Record<string, unknown>;
        fc.pre(problems.length === 0 && documents.length === 1 && Object.keys(value).length === 3);
        const all = paths(value.f1, ['f1']);
        const edit = set(all[where % all.length] ?? [], JSON.parse(JSON.stringify(to)) as unknown);
        const editor = new YamlFieldEditor(text);
        const plan = editor.verifiedPlan(0, [edit]);
        if (plan.kind === 'refused') {
          // A random key may be `<<`.
          expect(plan.reason).toMatch(/comes from a merge key \(<<\)$/);
          return;
        }
        const result = editor.apply([plan]);
        expect(values(result)).toEqual([withEdits(value, [edit])]);
        expect({ head: result.slice(0, head.length), tail: result.slice(-tail.length) }).toEqual({ head, tail });
      }),
      { numRuns: runs(1000) },
    );
  });
});
