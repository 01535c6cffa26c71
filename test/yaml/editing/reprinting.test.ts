import { expect, it } from 'vitest';
import { reprinted } from '../../../src/yaml/editing/reprinting.ts';
import { yamlStreamParts } from '../../../src/yaml/reading/trees.ts';
import { parseYamlDocuments } from '../../../src/yaml/reading/documents.ts';

/** The text printed again, and read again: the values are the same. */
function printedAgain(text: string): string {
  const [part] = [...yamlStreamParts(text, { keepSourceTokens: true })];
  if (part?.tree === undefined) throw new Error('the text has no document');
  const after = reprinted(text, part.tree, '\n');
  const valueOf = (yaml: string): unknown => parseYamlDocuments('t', yaml).documents[0]?.value;
  expect(valueOf(after)).toEqual(valueOf(text));
  return after;
}

it('the copy of a flow map or list is flow, and the copy of a block map is block', () => {
  expect(
    printedAgain('flow: &flow { name: web, ports: [80, 81] }\nblock: &block\n  name: web\none: *flow\nother: *block\n'),
  ).toBe(
    'flow: { name: web, ports: [ 80, 81 ] }\nblock:\n  name: web\none: { name: web, ports: [ 80, 81 ] }\nother:\n  name: web\n',
  );
});

it('a plain text gets quotes where its copy is in a flow map or list, and only there', () => {
  expect(
    printedAgain(
      'text: &text a, b\nmap: { text: *text, none: , deep: { text: *text } }\nlist: [*text]\nblock:\n  text: *text\n',
    ),
  ).toBe(
    'text: a, b\nmap: { text: "a, b", none: null, deep: { text: "a, b" } }\nlist: [ "a, b" ]\nblock:\n  text: a, b\n',
  );
});

it('a block map with a plain text gets quotes where its copy is in a flow map', () => {
  expect(printedAgain('block: &block\n  text: a, b\nmap: { copy: *block }\n')).toBe(
    'block:\n  text: a, b\nmap: { copy: { text: "a, b" } }\n',
  );
});

it('a key without a value gets null where its copy is in a flow list', () => {
  expect(printedAgain('block: &block\n  none:\nlist: [*block]\n')).toBe('block:\n  none:\nlist: [{none: null}]\n');
});

it('a plain text that kubectl misreads in flow maps and lists gets quotes in a copy there', () => {
  expect(printedAgain('one: &one a?b\ntwo: &two :x\nlist: [*one, *two]\nmap:\n  one: *one\n')).toBe(
    'one: a?b\ntwo: :x\nlist: ["a?b", ":x"]\nmap:\n  one: a?b\n',
  );
});

it('a block scalar is quoted where it is empty, or begins with a space in a document with another indentation', () => {
  expect(printedAgain('a: | # c\n\nb: 1\n')).toBe('a: "" # c\nb: 1\n');
  expect(printedAgain('m:\n    a: |2\n         x\n      y\n')).toBe('m:\n    a: "   x\\ny\\n"\n');
  expect(printedAgain('m:\n  a: |2\n       x\n    y\n')).toBe('m:\n  a: |2\n       x\n    y\n');
  expect(printedAgain('m:\n    a: |\n      x\n')).toBe('m:\n    a: |\n        x\n');
});

it('the pairs of a merge key are in its place, and a comment above is above the first of them', () => {
  expect(printedAgain('b: &x\n  p: 1\n  q: 2\na:\n  # about the merge\n  <<: *x\n  r: 3\n')).toBe(
    'b:\n  p: 1\n  q: 2\na:\n  # about the merge\n  p: 1\n  q: 2\n  r: 3\n',
  );
  expect(printedAgain('b: &x { p: 1, q: 2 }\na:\n  <<: *x\n  q: 4\n  p: 3\n')).toBe(
    'b: { p: 1, q: 2 }\na:\n  p: 3\n  q: 4\n',
  );
  expect(printedAgain('b: &x { p: 1 }\na:\n  r: 3\n  # about the merge\n  <<: *x\n')).toBe(
    'b: { p: 1 }\na:\n  r: 3\n  # about the merge\n  p: 1\n',
  );
  expect(printedAgain('b: &x {}\na:\n  <<: *x\n  r: 3\n')).toBe('b: {}\na:\n  r: 3\n');
  expect(printedAgain('x: &x { p: 1 }\nz: &z { p: 2, q: 3 }\na: { <<: [*x, *z], r: 1 }\n')).toBe(
    'x: { p: 1 }\nz: { p: 2, q: 3 }\na: { p: 1, q: 3, r: 1 }\n',
  );
});

it('a text without a line break at its end keeps its last pair last, and gets no line break', () => {
  expect(printedAgain('a: 1\nb: |\n  x')).toBe('a: 1\nb: |\n  x');
  expect(printedAgain('b: 0\na: 1\nb: |\n  x')).toBe('a: 1\nb: |\n  x');
  expect(printedAgain('b: 0\na: 1\nb: |\n  x\n')).toBe('b: |\n  x\na: 1\n');
});
