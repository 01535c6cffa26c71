import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesBelow, importGraph } from '../scripts/size/measure.ts';
import { lintTable } from './support/lint-table.ts';

const { rooms } = lintTable;

/** A row of the table in ARCHITECTURE.md. */
interface Row {
  /** Below src/. */
  readonly names: readonly string[];
  readonly mayImport: string;
}

const rows: readonly Row[] = readFileSync('ARCHITECTURE.md', 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, first = '', , mayImport = ''] = line.split('|').map((cell) => cell.trim());
    const names = [...first.matchAll(/`src\/([\w./-]+)`/g)].map(([, name = '']) => name);
    return names.length > 0 && line.startsWith('|') ? [{ names, mayImport }] : [];
  });

/** The rooms that a cell names. `and below` = and all that these rooms may import. */
function roomsIn(cell: string): Set<string> {
  if (cell === 'nothing of ours') return new Set();
  const found = new Set(cell.replace(/ and below$/, '').split(', '));
  for (const name of [...found]) {
    const row = rows.find(({ names }) => names.includes(name));
    expect(row, `${name} is no room`).toBeDefined();
    if (cell.endsWith(' and below')) for (const lower of roomsIn(row?.mayImport ?? '')) found.add(lower);
  }
  return found;
}

describe('the table of rooms in ARCHITECTURE.md', () => {
  it('has each folder and each file of src/, and nothing else', () => {
    expect(rows.flatMap(({ names }) => names).sort()).toEqual(readdirSync('src').sort());
  });

  it('has the rooms that the lint knows', () => {
    expect(Object.keys(rooms).sort()).toEqual(readdirSync('src').sort());
  });

  it.each(Object.entries(rooms))('says of %s what the lint allows', (room, allowed) => {
    const row = rows.find(({ names }) => names.includes(room));
    expect([...roomsIn(row?.mayImport ?? '')].sort()).toEqual([...allowed].sort());
  });
});

it('ARCHITECTURE.md names only files that exist', () => {
  const named = [...readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/(?<![\w/.-])(?:[\w-]+\/)+[\w.-]+\.ts\b/g)];
  expect(named.length).toBeGreaterThan(20);
  // Paths are from the root, from src/, or from src/cluster/ where the sentence says so.
  const isThere = (path: string): boolean => ['', 'src/', 'src/cluster/'].some((room) => existsSync(`${room}${path}`));
  expect(named.map(([path]) => path).filter((path) => !isThere(path))).toEqual([]);
});

/** One way round each cycle that a walk meets: the files in the order in which they import each other. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const way: string[] = [];
  const walk = (file: string): void => {
    if (way.includes(file)) cycles.push([...way.slice(way.indexOf(file)), file].join(' -> '));
    if (done.has(file)) return;
    done.add(file);
    way.push(file);
    for (const imported of graph.get(file) ?? []) walk(imported);
    way.pop();
  };
  for (const file of graph.keys()) walk(file);
  return cycles;
}

describe('imports in src/', () => {
  it('make no cycle, types and lazily loaded modules included', () => {
    const graph = importGraph(filesBelow('src'));
    expect(graph.get('src/main.ts')).toContain('src/cli/commands.ts');
    expect(cyclesOf(graph)).toEqual([]);
  });

  it('that make a cycle are found', () => {
    const graph = new Map([
      ['a', ['b', 'c']],
      ['b', []],
      ['c', ['d']],
      ['d', ['a', 'b']],
    ]);
    expect(cyclesOf(graph)).toEqual(['a -> c -> d -> a']);
  });
});
