import { describe, expect, it } from 'vitest';
import { readScript, type Node } from '../../../src/engine/command/script.ts';

/** The shape of a tree: `(a && (b | c))`. */
function shape(node: Node | undefined): string {
  if (node === undefined) return '-';
  switch (node.type) {
    case 'command':
      return node.words.map(({ text }) => text).join(' ');
    case 'list':
      return node.items.map(({ node: one, isBackground }) => shape(one) + (isBackground ? ' &' : '')).join('; ');
    case 'and':
      return `(${shape(node.left)} && ${shape(node.right)})`;
    case 'or':
      return `(${shape(node.left)} || ${shape(node.right)})`;
    case 'not':
      return `!${shape(node.node)}`;
    case 'pipe':
      return `(${node.stages.map(shape).join(' | ')})`;
    case 'if':
      return `if[${shape(node.condition)}][${shape(node.yes)}][${shape(node.no)}]`;
    case 'while':
    case 'until':
      return `${node.type}[${shape(node.condition)}][${shape(node.body)}]`;
    case 'for':
      return `for ${node.name}[${node.words?.map(({ text }) => text).join(' ') ?? '-'}][${shape(node.body)}]`;
    case 'case':
      return `case ${node.subject.text}${node.branches.map(({ patterns, body, end }) => `[${patterns.map(({ text }) => text).join('|')}: ${shape(body)}${end}]`).join('')}`;
    case 'group':
    case 'subshell':
      return `${node.type}[${shape(node.body)}]`;
    case 'function':
      return `${node.name}()[${shape(node.body)}]`;
  }
}

describe('the tree of a script', () => {
  it.each([
    ['a && b || c', '((a && b) || c)'],
    ['! a | b', '!(a | b)'],
    ['! ! a', 'a'],
    ['a; b & c', 'a; b &; c'],
    ['if a; then b; elif c; then d; fi', 'if[a][b][if[c][d][-]]'],
    ['while a; do b; done', 'while[a][b]'],
    ['until a\ndo b\ndone', 'until[a][b]'],
    ['for x in 1 2; do a; done', 'for x[1 2][a]'],
    ['for x do a; done', 'for x[-][a]'],
    ['case $x in a|b) c;; *) d;; esac', 'case $x[a|b: c;;][*: d;;]'],
    ['{ a; }; ( b )', 'group[a]; subshell[b]'],
    ['f() { a; }', 'f()[group[a]]'],
    ['[[ a && b ]] && c', '([[ a && b ]] && c)'],
    ["echo 'if' then", 'echo if then'],
    ['time a', 'a'],
  ])('%j', (text, tree) => expect(shape(readScript(text))).toBe(tree));

  it.each(['if a; then b', 'a )', 'fi', "echo 'x", 'a |', 'select x in y; do a; done', 'case x in', '{ a'])(
    'of %j is unknown',
    (text) => expect(readScript(text)).toBeUndefined(),
  );

  it('of too many groups is unknown, and costs no stack', () => {
    expect(readScript('{ '.repeat(19) + 'a' + '; }'.repeat(19))).toBeDefined();
    for (const open of ['{ ', '( ', 'if ']) expect(readScript(open.repeat(50_000))).toBeUndefined();
  });
});
