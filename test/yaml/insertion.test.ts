import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { withFieldEdits, type DocumentEdit, type EditedText } from '../../src/yaml/editing/field-editing.ts';
import { YAML_STYLE } from './yaml-styles.ts';
import { parseYamlDocuments } from '../../src/yaml/reading/documents.ts';
import { runs } from '../support/runs.ts';

const probe = { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 5 };

type Path = DocumentEdit['path'];
type Insertion = DocumentEdit & { readonly key: string };

const insertIntoYaml = (text: string, edits: readonly Insertion[]): EditedText =>
  withFieldEdits(
    text,
    edits.map(({ document, path, key, value }) => ({ document, path: [...path, key], value })),
  );

const insertion = (path: Path, key = 'livenessProbe', value: unknown = probe, document = 0): Insertion => ({
  document,
  path,
  key,
  value,
});

/** The text with the insertions in it, which must have been possible in place. */
function inPlace(text: string, ...insertions: Insertion[]): string {
  const result = insertIntoYaml(text, insertions);
  expect(result.reprinted).toEqual([]);
  return result.text;
}

const values = (text: string): unknown[] => parseYamlDocuments('t', text).documents.map(({ value }) => value);

const container = (index = 0): Path => ['spec', 'template', 'spec', 'containers', index];

describe('block mappings', () => {
  it('get the key behind their last pair, and every other byte stays', () => {
    const text = `# Source: shop/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: "web", labels: { app: web } }   # flow stays flow
spec:
  template:
    spec:
      containers:
        - name: app          # the application
          image: 'registry/app:1.0'
          args: [ "--flag",  '--other' ]
          ports:
            - containerPort: 8080   # http

        # the sidecar
        # logs
        - image: "registry/logs"
          name: logs


      # after the containers
      volumes: []
status: {}
`;
    expect(
      inPlace(text, insertion(container(0)), insertion(container(1), 'readinessProbe', { tcpSocket: { port: 80 } })),
    ).toBe(`# Source: shop/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: "web", labels: { app: web } }   # flow stays flow
spec:
  template:
    spec:
      containers:
        - name: app          # the application
          image: 'registry/app:1.0'
          args: [ "--flag",  '--other' ]
          ports:
            - containerPort: 8080   # http
          livenessProbe:
            httpGet:
              path: /healthz
              port: http
            periodSeconds: 5

        # the sidecar
        # logs
        - image: "registry/logs"
          name: logs
          readinessProbe:
            tcpSocket:
              port: 80


      # after the containers
      volumes: []
status: {}
`);
  });

  it("in sequences at their parent's level get sequences like that, too", () => {
    const text = `containers:
- name: app
  ports:
  - containerPort: 80
- name: b
`;
    expect(inPlace(text, insertion(['containers', 0], 'livenessProbe', { exec: { command: ['sh', '-c', 'exit 0'] } })))
      .toBe(`containers:
- name: app
  ports:
  - containerPort: 80
  livenessProbe:
    exec:
      command:
      - sh
      - -c
      - exit 0
- name: b
`);
  });

  it('that stand in by four get values that do', () => {
    const text = `spec:
    containers:
        -   name: app
            resources:
                limits:
                    cpu: 1
`;
    expect(inPlace(text, insertion(['spec', 'containers', 0], 'livenessProbe', { httpGet: { port: 80 } })))
      .toBe(`${text}\
            livenessProbe:
                httpGet:
                    port: 80
`);
  });

  it('get several keys in the order given', () => {
    const keys = ['startupProbe', 'livenessProbe', 'readinessProbe'];
    const text = 'containers:\n  - name: a\n  - name: b\n';
    const result = inPlace(
      text,
      ...keys.flatMap((key) => [insertion(['containers', 1], key, 1), insertion(['containers', 0], key, 2)]),
      insertion([], 'last', 3),
    );
    expect(result).toBe(`containers:
  - name: a
    startupProbe: 2
    livenessProbe: 2
    readinessProbe: 2
  - name: b
    startupProbe: 1
    livenessProbe: 1
    readinessProbe: 1
last: 3
`);
  });

  it('leave a comment on the last line there, and comments that stand in as they do with them', () => {
    const text = `containers:
  - name: app
    ports:
      - containerPort: 80 # plain http
        # hostPort: 80
    # resources: {}

    # tty: true

  # next
  - name: b # last
# end
`;
    expect(inPlace(text, insertion(['containers', 0], 'x', 1), insertion(['containers', 1], 'x', 2))).toBe(`containers:
  - name: app
    ports:
      - containerPort: 80 # plain http
        # hostPort: 80
    # resources: {}

    # tty: true
    x: 1

  # next
  - name: b # last
    x: 2
# end
`);
  });

  it.each([
    ['|', '    one\n\n    two\n\n\n'],
    ['|-', '    one\n      two\n'],
    ['|+', '    one\n\n\n'],
    ['>', '    folded\n    text\n\n    more\n'],
    ['>2-', '      leading\n    text\n'],
    ['| # comment', '    # no comment\n'],
  ])('whose last value is a block scalar (%s) keep it', (header, body) => {
    for (const rest of ['', '- name: b\n', '# comment\n- name: b\n', '  # comment\n']) {
      const text = `- name: a\n  script: ${header}\n${body}${rest}`;
      const [before] = values(text);
      const result = inPlace(text, insertion([0], 'x', 1));
      expect(values(result)).toEqual([withKey(before, [0], 'x', 1)]);
    }
  });

  it('whose last value goes over several lines get the key below it', () => {
    const text = `- a: plain text
    that goes on
- a: "double
    quoted"
- a: [1,
    2]   # list
- a:
    - b:
        c: # nothing
- a: &anchor
- a: *anchor
`;
    expect(inPlace(text, ...[0, 1, 2, 3, 4, 5].map((index) => insertion([index], 'x', index)))).toBe(`- a: plain text
    that goes on
  x: 0
- a: "double
    quoted"
  x: 1
- a: [1,
    2]   # list
  x: 2
- a:
    - b:
        c: # nothing
  x: 3
- a: &anchor
  x: 4
- a: *anchor
  x: 5
`);
  });

  it('at the end of a text without a line break leave it without', () => {
    expect(inPlace('spec:\n  containers:\n  - name: app', insertion(['spec', 'containers', 0], 'x', { z: 1 }))).toBe(
      'spec:\n  containers:\n  - name: app\n    x:\n      z: 1',
    );
    expect(inPlace('a: 1 # c', insertion([], 'x', 1))).toBe('a: 1 # c\nx: 1');
    expect(inPlace('a: |-\n  text', insertion([], 'x', 1))).toBe('a: |-\n  text\nx: 1');
    expect(inPlace('- a: 1\n  # c', insertion([0], 'x', 1))).toBe('- a: 1\n  # c\n  x: 1');
  });

  it('at the end of a text without a line break, a block scalar in them has one: libyaml sees it only then', () => {
    expect(inPlace('a: 1', insertion([], 'x', { k: 'b\nc\n' }))).toBe('a: 1\nx:\n  k: |\n    b\n    c\n');
    expect(inPlace('a: 1\nx:', insertion([], 'x', ['b\nc\n']))).toBe('a: 1\nx:\n- |\n  b\n  c\n');
  });

  it.each([
    ['a: |\n  text', [], 'x: 1\na: |\n  text'],
    [
      '- a: b\n  # about c\n  c: >+ # folded\n   text\n   ',
      [0],
      '- a: b\n  x: 1\n  # about c\n  c: >+ # folded\n   text\n   ',
    ],
    ['c:\r\n  - a: |\r\n      text', ['c', 0], 'c:\r\n  - x: 1\r\n    a: |\r\n      text'],
    ['c:\n- a:\n  - b: &b |\n     text', ['c', 0], 'c:\n- x: 1\n  a:\n  - b: &b |\n     text'],
    ['- ? a\n  : |\n    text', [0], '- x: 1\n  ? a\n  : |\n    text'],
  ])('that the end of the text cuts off in a block scalar leave it there: %j', (text, path, after) => {
    expect(inPlace(text, insertion(path, 'x', 1))).toBe(after);
  });

  it('with CRLF get CRLF', () => {
    const text = 'a:\r\n  b: 1\r\n\r\n# c\r\nd: "x\r\n  y"\r\n';
    expect(inPlace(text, insertion(['a'], 'x', { w: 1 }), insertion([], 'z', 2))).toBe(
      'a:\r\n  b: 1\r\n  x:\r\n    w: 1\r\n\r\n# c\r\nd: "x\r\n  y"\r\nz: 2\r\n',
    );
  });

  it('keep a byte order mark, tabs and trailing white space', () => {
    const text = '\uFEFFa: "tab\there"\t# x\ty\nb:   1   \n';
    expect(inPlace(text, insertion([], 'x', 1))).toBe(`${text}x: 1\n`);
  });

  it('with explicit keys, tags, odd indentation and keys of every kind are no obstacle', () => {
    const text = `? a
: !!map
   b: 1
8080: {}
'quoted': &unused
      c: 1
`;
    const result = inPlace(text, insertion(['a'], 'x', 1), insertion(['quoted'], 'x', 2), insertion([], 'x', 3));
    expect(result).toBe(`? a
: !!map
   b: 1
   x: 1
8080: {}
'quoted': &unused
      c: 1
      x: 2
x: 3
`);
  });
});

describe('keys with nothing or null for a value', () => {
  it('get the value in place', () => {
    const text = `containers:
  - livenessProbe:
    name: a
  - livenessProbe: # to do
      # httpGet: {}

    name: b
  - livenessProbe: null   # none
  - livenessProbe: ~
  - livenessProbe: &unused
    name: c
`;
    const small = { httpGet: { port: 80 } };
    expect(inPlace(text, ...[0, 1, 2, 3, 4].map((index) => insertion(['containers', index], 'livenessProbe', small))))
      .toBe(`containers:
  - livenessProbe:
      httpGet:
        port: 80
    name: a
  - livenessProbe: # to do
      httpGet:
        port: 80
      # httpGet: {}

    name: b
  - livenessProbe:   # none
      httpGet:
        port: 80
  - livenessProbe:
      httpGet:
        port: 80
  - livenessProbe: &unused
      httpGet:
        port: 80
    name: c
`);
  });

  it('get scalars and empty collections on their line', () => {
    const text = 'a: # c\nb: null\nc: ~ # c\nd:\ne:';
    expect(
      inPlace(text, ...['yes', {}, [], 1, 'x\ny\n'].map((value, index) => insertion([], 'abcde'.charAt(index), value))),
    ).toBe('a: "yes" # c\nb: {}\nc: [] # c\nd: 1\ne: |\n  x\n  y\n');
  });

  it('and new keys go together', () => {
    expect(inPlace('- a:', insertion([0], 'b', 1), insertion([0], 'a', { c: 2 }))).toBe('- a:\n    c: 2\n  b: 1');
  });

  it('get it in flow mappings, too', () => {
    const text = '[{a: null, b: 1}, {a: }, {a: , b: 1}, {a}, {b: 1, a}, {"a":null}, {a: ~}]\n';
    expect(inPlace(text, ...[0, 1, 2, 3, 4, 5, 6].map((index) => insertion([index], 'a', { c: 'd' })))).toBe(
      '[{a: {c: d}, b: 1}, {a: {c: d} }, {a: {c: d}, b: 1}, {a: {c: d}}, {b: 1, a: {c: d}}, {"a":{"c": "d"}}, {a: {c: d}}]\n',
    );
  });

  it('are the last of two equal keys', () => {
    expect(inPlace('a: 1\na: null\n', insertion([], 'a', 2))).toBe('a: 1\na: 2\n');
  });
});

describe('flow mappings', () => {
  it('on one line stay there', () => {
    const text = 'containers: [{name: app, ports: []}, { name: b }, {name: c,}, {}, { }, {name: "d" }, {a: }] # c\n';
    const small = { httpGet: { path: '/', port: 80 } };
    expect(inPlace(text, ...[0, 1, 2, 3, 4, 5, 6].map((index) => insertion(['containers', index], 'p', small)))).toBe(
      'containers: [{name: app, ports: [], p: {httpGet: {path: /, port: 80}}}, ' +
        '{ name: b, p: {httpGet: {path: /, port: 80}} }, ' +
        '{name: c, p: {httpGet: {path: /, port: 80}},}, ' +
        '{p: {httpGet: {path: /, port: 80}}}, ' +
        '{p: {httpGet: {path: /, port: 80}}}, ' +
        '{name: "d", p: {httpGet: {path: /, port: 80}} }, ' +
        '{a: , p: {httpGet: {path: /, port: 80}} }] # c\n',
    );
  });

  it('over several lines get a line of their own', () => {
    const text = `containers:
  - {
      name: app, # name
      image: x # last
      # comment
    }
  - {
      name: b,
      image: y, # trailing comma
    }
  - { name: c,
      image: z }
`;
    expect(inPlace(text, ...[0, 1, 2].map((index) => insertion(['containers', index], 'p', { port: 80 }))))
      .toBe(`containers:
  - {
      name: app, # name
      image: x, # last
      p: {port: 80}
      # comment
    }
  - {
      name: b,
      image: y, # trailing comma
      p: {port: 80},
    }
  - { name: c,
      image: z,
      p: {port: 80} }
`);
  });

  it('that stand in less than the block around them stay so', () => {
    const text = 'a:\n  b:\n    c: {\nd: 1\n}\n    e: "x\ny"\n';
    expect(inPlace(text, insertion(['a', 'b', 'c'], 'x', 1), insertion(['a', 'b'], 'x', 2))).toBe(
      'a:\n  b:\n    c: {\nd: 1,\nx: 1\n}\n    e: "x\ny"\n    x: 2\n',
    );
  });

  it('quote whatever is not the simplest word', () => {
    const strings = ['yes', '8080', 'a b', 'a,b', '?x', 'http://x?y', '{', '', 'GET', '/a-b_c.d/1', 'é', '1:30', '~'];
    expect(inPlace('a: {b: 1}\n', insertion(['a'], 'on', strings))).toBe(
      'a: {b: 1, "on": ["yes", "8080", "a b", "a,b", "?x", "http://x?y", "{", "", GET, /a-b_c.d/1, "é", "1:30", "~"]}\n',
    );
  });
});

describe('JSON', () => {
  const manifest = {
    kind: 'List',
    items: [{ spec: { containers: [{ name: 'a', ports: [] }, { name: 'b', livenessProbe: null }, {}] }, metadata: {} }],
  };
  const at = (index: number): Path => ['items', 0, 'spec', 'containers', index];
  const insertions = [
    ...[0, 1, 2].map((index) => insertion(at(index))),
    insertion(['items', 0, 'metadata'], 'annotations', { 'x/y': '1' }),
  ];
  const expected = {
    kind: 'List',
    items: [
      {
        spec: {
          containers: [
            { name: 'a', ports: [], livenessProbe: probe },
            { name: 'b', livenessProbe: probe },
            { livenessProbe: probe },
          ],
        },
        metadata: { annotations: { 'x/y': '1' } },
      },
    ],
  };

  it.each([2, 4, 1, '\t', undefined])('indented by %j comes out as JSON.stringify would have it', (indent) => {
    const text = JSON.stringify(manifest, null, indent);
    for (const [end, eol] of [
      ['', '\n'],
      ['\n', '\n'],
      ['\r\n', '\r\n'],
    ] as const) {
      const input = (text + end).replaceAll(/\r?\n/g, eol);
      expect(inPlace(input, ...insertions)).toBe(
        (JSON.stringify(expected, null, indent) + end).replaceAll(/\r?\n/g, eol),
      );
    }
  });

  it('on one line with spaces gets spaces', () => {
    expect(
      inPlace('{"a": {"b": 1}, "c": {}}', insertion(['a'], 'x', { y: ['1', 2] }), insertion(['c'], 'x', true)),
    ).toBe('{"a": {"b": 1, "x": {"y": ["1", 2]}}, "c": {"x": true}}');
  });

  it('of several objects without a separator is edited object by object', () => {
    expect(inPlace('{"a":1}\n{\n  "b": 2\n}\n', insertion([], 'x', 1), insertion([], 'x', [3], 1))).toBe(
      '{"a":1,"x":1}\n{\n  "b": 2,\n  "x": [\n    3\n  ]\n}\n',
    );
  });

  it('of a mixed form stays JSON', () => {
    const text = '{"a": [\n  {"b": 1,\n   "c": 2},\n  {\n    "d": {} }\n]}\n';
    const result = inPlace(
      text,
      insertion(['a', 0]),
      insertion(['a', 1, 'd'], 'x', [{}, []]),
      insertion([], 'z', false),
    );
    expect(JSON.parse(result)).toEqual({ a: [{ b: 1, c: 2, livenessProbe: probe }, { d: { x: [{}, []] } }], z: false });
  });
});

describe('documents', () => {
  const text = `# first
---
a: 1
---
# nothing here
---
b: [
---
c:
  d: 1
...
# between
---
{"e": 1}
`;

  it('are edited one by one, faulty ones left as they are', () => {
    const result = inPlace(text, insertion([], 'z', 1, 3), insertion(['c'], 'w', 2, 2), insertion([], 'x', 3, 0));
    expect(result).toBe(
      text
        .replace('a: 1\n', 'a: 1\nx: 3\n')
        .replace('  d: 1\n', '  d: 1\n  w: 2\n')
        .replace('"e": 1', '"e": 1, "z": 1'),
    );
  });

  it('are the same bytes when there is nothing to insert', () => {
    expect(insertIntoYaml(text, [])).toEqual({ text, reprinted: [] });
  });

  it('may start on the line of the separator', () => {
    expect(inPlace('--- {a: 1}\n--- # c\nb: 1\n', insertion([], 'x', 1), insertion([], 'x', 1, 1))).toBe(
      '--- {a: 1, x: 1}\n--- # c\nb: 1\nx: 1\n',
    );
  });

  it('are named when an insertion cannot be', () => {
    const attempt =
      (...insertions: Insertion[]) =>
      () =>
        insertIntoYaml(text, insertions);
    expect(attempt(insertion([], 'x', 1, 1))).toThrow(/^document 2: Flow sequence/);
    expect(attempt(insertion([], 'x', 1, 9))).toThrow('document 10: there is no document 10');
  });

  it('take insertions into what earlier ones inserted', () => {
    expect(
      inPlace(
        'metadata:\n  name: a\n',
        insertion(['metadata'], 'annotations', {}),
        insertion(['metadata', 'annotations'], 'b', { c: [{}] }),
        insertion(['metadata', 'annotations', 'b', 'c', 0], 'd', 1),
      ),
    ).toBe(
      'metadata:\n  name: a\n  annotations:\n    b:\n      c:\n        - d: 1\n'.replace('        - d', '      - d'),
    );
  });
});

describe('values', () => {
  it('are plain where nothing misreads that, and quoted elsewhere', () => {
    const strings = ['http', '/healthz', '-c', 'exit 0', 'a#b', "it's", '100Mi', '1.2.3', 'é'];
    const quoted = [
      'yes',
      'Off',
      'n',
      '8080',
      '010',
      '0o10',
      '0x1F',
      '1_0',
      '1e3',
      '.5',
      '1:30',
      '2001-01-01',
      '',
      ' a',
    ];
    const strange = [
      'null',
      '~',
      '<<',
      '=',
      '- a',
      'a: b',
      'a #b',
      '*a',
      '&a',
      '!a',
      '@a',
      '%a',
      '{a',
      '[a',
      '"a',
      'a\tb',
    ];
    const lines = inPlace('a: 1\n', insertion([], 'x', [...strings, ...quoted, ...strange]))
      .split('\n')
      .slice(2, -1);
    expect(lines.slice(0, strings.length)).toEqual(strings.map((text) => `- ${text}`));
    for (const line of lines.slice(strings.length)) expect(line).toMatch(/^- (".*"|'.*')$/);
    expect(values(lines.join('\n'))[0]).toEqual([...strings, ...quoted, ...strange]);
  });

  it('may have more lines than fit into a call as arguments', () => {
    const list = Array.from({ length: 200_000 }, () => 1);
    const text = `a: 1\nx:\n${'- 1\n'.repeat(list.length)}`;
    expect(inPlace('a: 1\n', insertion([], 'x', list)) === text).toBe(true);
  });

  it('that are keys are quoted by the same rule', () => {
    expect(inPlace('a: 1\n', insertion([], 'x', { yes: 1, '8080': 2, 'a/b.c': 3, '': 4, 'a\nb': 5, '<<': 6 }))).toBe(
      'a: 1\nx:\n  "8080": 2\n  "yes": 1\n  a/b.c: 3\n  "": 4\n  "a\\nb": 5\n  "<<": 6\n',
    );
  });

  it('of several lines are literal block scalars', () => {
    const script = '#!/bin/sh\nset -e\n\nif true; then\n  echo "x: y"\nfi\n';
    const result = inPlace('c:\n- name: a\n', insertion(['c', 0], 'p', { exec: { command: ['sh', '-c', script] } }));
    expect(result).toContain(
      '      - |\n        #!/bin/sh\n        set -e\n\n        if true; then\n          echo "x: y"\n        fi\n',
    );
    expect(values(result)[0]).toMatchObject({ c: [{ p: { exec: { command: ['sh', '-c', script] } } }] });
  });

  it('that no block scalar keeps are quoted', () => {
    for (const text of [' a\nb', 'a\n\n', '\n', 'a \nb', 'a\r\nb', '\ta\nb']) {
      expect(inPlace('a: 1\n', insertion([], 'x', text))).toBe(`a: 1\nx: ${JSON.stringify(text)}\n`);
    }
  });
});

describe('anchors', () => {
  const helm = `apiVersion: apps/v1
kind: Deployment
x-defaults: &defaults
  imagePullPolicy: Always # pulled
spec:
  template:
    spec:
      # containers of the Pod
      containers:
        - name: app
          <<: *defaults
          livenessProbe:
            httpGet: &get
              path: /
              port: 80
          readinessProbe:
            httpGet: *get
        - &second
          name: second
          <<: [*defaults]
`;

  it('that nothing of the mapping is shared by stay', () => {
    const result = inPlace(helm, insertion(container(0), 'startupProbe', probe), insertion(container(1)));
    expect(result.replaceAll(/ *(startup|liveness)Probe:\n +httpGet:\n +path: \/healthz\n.*\n.*\n/g, '')).toBe(helm);
  });

  it('that something of the mapping is shared by make the document be printed anew', () => {
    const path = [...container(0), 'livenessProbe', 'httpGet'];
    const result = insertIntoYaml(`# top\n---\na: 1\n---\n${helm}---\n# end\nb: 1\n`, [
      insertion(path, 'scheme', 'HTTPS', 1),
    ]);
    expect(result.reprinted).toEqual([1]);
    expect(result.text).toBe(`# top
---
a: 1
---
apiVersion: apps/v1
kind: Deployment
x-defaults:
  imagePullPolicy: Always # pulled
spec:
  template:
    spec:
      # containers of the Pod
      containers:
        - name: app
          imagePullPolicy: Always # pulled
          livenessProbe:
            httpGet:
              path: /
              port: 80
              scheme: HTTPS
          readinessProbe:
            httpGet:
              path: /
              port: 80
        - name: second
          imagePullPolicy: Always # pulled
---
# end
b: 1
`);
  });

  it.each<[string, string, Path]>([
    ['is an alias', 'a: &a {x: 1}\nb: *a\n', ['b']],
    ['is aliased', 'a: &a {x: 1}\nb: *a\n', ['a']],
    ['is inside an alias', 'a: &a {x: {y: 1}}\nb: *a\n', ['b', 'x']],
    ['is inside something aliased', 'a: &a [{x: {y: 1}}]\nb: *a\n', ['a', 0, 'x']],
    ['comes from a merge key', 'a: &a {x: {y: 1}}\nb:\n  <<: *a\n', ['b', 'x']],
    ['is merged elsewhere', 'a: &a {x: 1}\nb:\n  <<: *a\n', ['a']],
    ['is overridden by a merge key', 'a: &a {x: {y: 1}}\nb:\n  x: {}\n  <<: *a\n', ['b', 'x']],
    ['is a pair in a flow sequence', 'a: [b: 1]\n', ['a', 0]],
  ])('do not make other places change when the mapping %s', (_name, text, path) => {
    for (const input of [text, text.replaceAll('\n', '\r\n'), `# c\r\n# d\r\n${text}`, `\uFEFF${text}`]) {
      const [before] = values(input);
      const { text: after, reprinted } = insertIntoYaml(input, [insertion(path, 'new', { z: 1 })]);
      expect(reprinted).toEqual([0]);
      expect(values(after)).toEqual([withKey(before, path, 'new', { z: 1 })]);
      expect(/\r/.test(after)).toBe(/\r/.test(input));
    }
  });

  it('of null values that are aliased are resolved first', () => {
    const { text, reprinted } = insertIntoYaml('a:\n  p: &n\nb: *n\n', [insertion(['a'], 'p', { x: 1 })]);
    expect({ values: values(text), reprinted }).toEqual({ values: [{ a: { p: { x: 1 } }, b: null }], reprinted: [0] });
  });

  it('may bring a null that is overridden where it is merged', () => {
    expect(inPlace('a: &a {p: null}\nb:\n  <<: *a\n', insertion(['b'], 'p', 1))).toBe(
      'a: &a {p: null}\nb:\n  <<: *a\n  p: 1\n',
    );
  });

  it.each([1, 2, 3, 4])('leave text that starts with spaces as it is where mappings stand in by %i', (step) => {
    const [outer, inner] = [' '.repeat(step), ' '.repeat(2 * step)];
    const text = `a:\n${outer}b:\n${inner}c: |2\n${inner}      deep\n${inner}    less\n${inner}d: >1\n\n${inner}   deep\ne: &e {x: 1}\nf: *e\n`;
    const result = insertIntoYaml(text, [insertion(['f'], 'y', 2)]);
    const value = { b: { c: '    deep\n  less\n', d: '\n  deep\n' } };
    expect(result.reprinted).toEqual([0]);
    expect(values(result.text)).toEqual([{ a: value, e: { x: 1 }, f: { x: 1, y: 2 } }]);
  });

  it('of a text that its end cuts off in a block scalar leave it there when the document is printed anew', () => {
    const text = 'c:\n  - &a\n    a: x\n    b: 1\n  - <<: *a\n    a: |\n      text';
    expect(insertIntoYaml(text, [insertion(['c', 0], 'x', 1), insertion(['c', 1], 'x', 2)]).text).toBe(
      'c:\n  - a: x\n    b: 1\n    x: 1\n  - b: 1\n    x: 2\n    a: |\n      text',
    );
  });

  it('keep every kind of scalar what it was when the document is printed anew', () => {
    const text = `a: &a {x: 1}
b: *a
octal: 010
text: "010"
single: 'it''s'
folded: >-
  some text

  and more
literal: |+
  text

empty:
tagged: !!str 5
collection: !!str {a: 1}
nothing: | # comment
binary: !!binary aGVsbG8=
flow: [010, "8080", ~, {k: , l: null}, plain text, ?x, http://x/?y]
multi: "a
  b"
`;
    const [before] = values(text);
    const result = insertIntoYaml(text, [insertion(['b'], 'y', 2)]);
    expect(result.reprinted).toEqual([0]);
    expect(values(result.text)).toEqual([{ ...(before as object), b: { x: 1, y: 2 } }]);
    expect(result.text).toContain("octal: 010\ntext: \"010\"\nsingle: 'it''s'\n");
    expect(result.text).toContain(
      'tagged: !!str 5\ncollection: {a: 1}\nnothing: "" # comment\nbinary: !!binary aGVsbG8=\n',
    );
  });
});

/** A copy of a JSON value with one key more. */
function withKey(root: unknown, path: Path, key: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(root)) as unknown;
  const parent = path.reduce((node: unknown, step) => (node as Record<string | number, unknown>)[step], copy);
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

/** The paths of all mappings in a JSON value. */
function mappings(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const inner = steps.flatMap((step) => mappings((value as Record<string | number, unknown>)[step], [...path, step]));
  return Array.isArray(value) ? inner : [path, ...inner];
}

/** True when one stretch put into `before` makes it `after`. */
function isOneStretchLonger(before: string, after: string): boolean {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  return after.endsWith(before.slice(start));
}

describe('any document', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const object = fc.dictionary(fc.string(), json, { minKeys: 1, maxKeys: 5 });
  const blockQuote = fc.constantFrom(true, false, 'folded' as const, 'literal' as const);
  const style = fc.record({ ...YAML_STYLE, blockQuote });
  const textOf = (value: unknown, options: object): string =>
    stringify(value, { version: '1.1', aliasDuplicateObjects: false, ...options });

  it('of the yaml package keeps its other values and all its lines', () => {
    fc.assert(
      fc.property(
        ...[
          fc.array(object, { minLength: 1, maxLength: 3 }),
          style,
          fc.boolean(),
          fc.boolean(),
          fc.nat(),
          fc.nat(),
          fc.string(),
          json,
        ],
        (roots, options, crlf, ended, which, where, key, value) => {
          const joined = roots.map((root) => textOf(root, options)).join('---\n');
          const lines = ended ? joined : joined.replace(/\n$/, '');
          const text = crlf ? lines.replaceAll('\n', '\r\n') : lines;
          const { documents, problems } = parseYamlDocuments('t', text);
          fc.pre(problems.length === 0 && documents.length === roots.length);
          const document = which % documents.length;
          const before = documents[document]?.value;
          const paths = mappings(before);
          const path = paths[where % paths.length] ?? [];
          const parent = path.reduce((node: unknown, step) => (node as Record<string | number, unknown>)[step], before);
          fc.pre(!Object.hasOwn(parent as object, key) && value !== null);
          const result = insertIntoYaml(text, [{ document, path, key, value }]);
          const expected = documents.map((one, index) =>
            index === document ? withKey(before, path, key, value) : one.value,
          );
          expect(isDeepStrictEqual(values(result.text), JSON.parse(JSON.stringify(expected)))).toBe(true);
          expect(result.reprinted).toEqual([]);
          // An empty mapping is replaced.
          if (Object.keys(parent as object).length > 0) expect(isOneStretchLonger(text, result.text)).toBe(true);
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  it('that is JSON stays JSON, in the same form', () => {
    fc.assert(
      fc.property(
        ...[object, fc.constantFrom(0, 1, 2, 4, '\t'), fc.nat(), fc.string(), json],
        (root, indent, where, key, value) => {
          const input: unknown = JSON.parse(JSON.stringify(root));
          const paths = mappings(input);
          const path = paths[where % paths.length] ?? [];
          const parent = path.reduce((node: unknown, step) => (node as Record<string | number, unknown>)[step], input);
          fc.pre(value !== null && !Object.hasOwn(parent as object, key) && !/^(?:0|[1-9]\d*)$/.test(key));
          const result = inPlace(JSON.stringify(input, null, indent), insertion(path, key, value));
          const output: unknown = JSON.parse(result);
          expect(isDeepStrictEqual(output, JSON.parse(JSON.stringify(withKey(input, path, key, value))))).toBe(true);
          // Commands of CI hosts, such as `##[`, are written with an escape.
          expect(result.replaceAll('#\\u0023', '##')).toBe(JSON.stringify(output, null, indent));
        },
      ),
      { numRuns: runs(1000), examples: [[{ '': [] }, 0, 0, '##[', 0]] },
    );
  });
});
