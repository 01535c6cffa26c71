import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { COMMAND_DEFINITIONS } from '../../src/cli/command-table.ts';
import { parseCommandLine } from '../../src/cli/flags/parse-command-line.ts';
import { SERVE_FLAGS } from '../../src/cli/process/serve-definition.ts';
import { runProbewright } from '../cli/run-probewright.ts';
import { anchorOf } from '../support/markdown.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PAGES = readdirSync('docs').filter((name) => name.endsWith('.md'));
const doc = (name: string): string => readFileSync(join('docs', name), 'utf8');

/** The text of a page, as it is read: without the backquotes, on one line. */
const plain = (text: string): string => text.replaceAll('`', '').replaceAll('\\|', '|').replace(/\s+/g, ' ');
const headingsOf = (text: string): string[] =>
  [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
/** Comments in shell blocks look like headings. */
const withoutBlocks = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```$/gm, '');
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A template with gaps, as a pattern. */
function pattern(template: string): RegExp {
  return new RegExp(template.split(TEMPLATE_GAP).map(escaped).join('.{0,60}?'));
}

interface Source {
  readonly file: string;
  readonly text: string;
}

function sourcesBelow(...directories: readonly string[]): Source[] {
  const files = directories.flatMap((directory) =>
    directory.endsWith('.ts')
      ? [directory]
      : readdirSync(directory, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.ts'))
          .map((name) => join(directory, name)),
  );
  return files.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}

/** The files of a folder, without those of its folders. */
function filesOf(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(directory, name));
}

/** What stands between a call's parentheses. */
function argumentsAt(text: string, start: number): string {
  let depth = 1;
  let quote: string | undefined;
  for (let index = start; index < text.length; index++) {
    const character = text[index];
    if (character === '\\') index++;
    else if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if (character === "'" || character === '`' || character === '"') quote = character;
    else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return text.slice(start, index);
  }
  throw new Error(`no end of a call: ${text.slice(start, start + 80)}`);
}

/** String literals and templates, without their quotes. */
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/g;
const literals = (code: string): string[] =>
  [...code.matchAll(LITERAL)].map(([, single, template, double]) => single ?? template ?? double ?? '');
/** Of a template, `${...}`, also with calls, strings and a template of one's own in it. */
const TEMPLATE_GAP = /\$\{(?:[^{}`]|`[^`]*`|\{[^{}]*\})*\}/;

function calls(text: string, callee: RegExp): string[] {
  return [...text.matchAll(new RegExp(callee, 'g'))].map((match) =>
    argumentsAt(text, match.index + match[0].length).trim(),
  );
}

/** Messages of warnings and errors: the last argument is a constant, or in POLICY_FAILURES. */
function logMessages(): string[] {
  return sourcesBelow('src').flatMap(({ file, text }) =>
    calls(text, /\blog(?:ger)?\.(?:warn|error|fatal)\(/).flatMap((args) => {
      const last = /'([^'\n]+)',?$/.exec(args)?.[1];
      if (last !== undefined) return [last];
      const constant = /const POLICY_FAILURES[^{]*\{([^}]*)\}/.exec(text)?.[1];
      expect(constant, `${file}: the message of a log line is no constant: ${args}`).toBeDefined();
      return literals(constant ?? '');
    }),
  );
}

/** Faults of the program, not of its surroundings, and what is never shown. */
const INTERNAL = [
  'this store knows no ',
  'stopped before there was a certificate',
  'stopped before the policies of the cluster had been read',
  'there is no certificate to serve with',
  'stopped before all parts had started',
  'the port does not listen',
  'no route has a schema',
  'the server has no listener that speaks TLS',
  'the logger has no stream',
  'the server has no listener that routes requests',
];

/** What a person is told when something of the surroundings is wrong. */
function errorTexts(): string[] {
  const sources = sourcesBelow(
    'src/cluster/client',
    'src/webhook/certificates',
    'src/webhook/http',
    ...filesOf('src/webhook'),
    'src/process',
    'src/cli/process/serve.ts',
    'src/cluster/sources/directory-source.ts',
    'src/cluster/sources/workload-kinds.ts',
    'src/cluster/sources/object-statuses.ts',
  );
  const thrown = sources.flatMap(({ text }) =>
    calls(text, /(?:\bnew \w*(?:Error|Event)|\bhttpError|#refuse)\(/).flatMap((args) => literals(args).slice(0, 1)),
  );
  return thrown.filter(
    (text) => /[a-z]{2}/.test(text.replace(TEMPLATE_GAP, '')) && !INTERNAL.some((one) => text.startsWith(one)),
  );
}

const troubleshooting = doc('troubleshooting.md');
// The language of a block is no word of its text.
const troubles = plain(troubleshooting.replaceAll('```text', '```'));

describe('docs/troubleshooting.md', () => {
  it('has a row for every warning and error in the log', () => {
    const listed = [...troubleshooting.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
    );
    const messages = logMessages();
    expect(messages.length).toBeGreaterThan(10);
    expect(messages.filter((message) => !listed.includes(message))).toEqual([]);
  });

  it('has every error that the surroundings can cause', () => {
    const texts = errorTexts();
    expect(texts.length).toBeGreaterThan(40);
    expect(texts.filter((text) => !pattern(text).test(troubles))).toEqual([]);
  });

  it('has no two headings with one anchor', () => {
    const slugs = headingsOf(troubleshooting).map(plain).map(anchorOf);
    expect(slugs.filter((one, index) => slugs.indexOf(one) !== index)).toEqual([]);
  });
});

describe('break-glass', () =>
  it('has the commands of the release notes, word for word', () => {
    const notes = readFileSync(`${CHART}/templates/NOTES.txt`, 'utf8')
      .replaceAll('{{ $name }}', 'probewright')
      .replaceAll('{{ $mutating }}', '00-probewright');
    const commands = [...notes.matchAll(/^ {2}(kubectl (?:delete|patch) .*)$/gm)].map(([, command = '']) => command);
    expect(commands.length).toBe(1);
    const lines = troubleshooting.split('\n');
    for (const command of commands) expect(lines).toContain(command);
  }));

describe('the pages', () => {
  it('are all linked from the index', () => {
    const linked = (text: string): string[] =>
      [...text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, to = '']) => to);
    const pages = PAGES.filter((name) => name !== 'README.md');
    expect(pages.filter((name) => !linked(doc('README.md')).includes(name))).toEqual([]);
  });

  it.each(PAGES)('%s names no value that the chart does not have', (page) => {
    const values = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')) as Record<string, unknown>;
    const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')) as object;
    expect(schema).toHaveProperty('properties');
    const text = doc(page);
    const inline = [...text.matchAll(/`([a-z]\w*(?:\.\w+)+)(?:: [^`]*)?`/g)]
      .map(([, path = '']) => path)
      .filter((path) => Object.hasOwn(values, path.split('.')[0] ?? ''));
    const set = [...text.matchAll(/--set(?:-string)? '?(?!KEY=)([\w.]+)=/g)].map(([, path = '']) => path);
    expect([...inline, ...set].filter((path) => !hasValue(values, path.split('.')))).toEqual([]);
  });

  it.each(PAGES)('%s names no flag that no command has', (page) => {
    if (page === 'install.md') return; // Helm's and kubectl's
    const known = new Set(Object.keys(SERVE_FLAGS));
    const inline = [...doc(page).matchAll(/`--([a-z-]+)(?:[ =][^`]*)?`/g)].map(([, flag = '']) => flag);
    expect(inline.filter((flag) => !known.has(flag) && !OTHER_FLAGS.has(flag))).toEqual([]);
  });

  it.each(PAGES)('%s has no command in a table that the program would refuse', (page) => {
    const tables = doc(page).match(/^\|.*$/gm) ?? [];
    const commands = tables.flatMap((row) => [...row.matchAll(/`probewright ([a-z]+ [^`]+)`/g)]);
    const refused = commands.flatMap(([, command = '']) => {
      const [name = '', ...args] = command.split(' ');
      const definition = COMMAND_DEFINITIONS.find((known) => known.name === name);
      const parsed = definition === undefined ? undefined : parseCommandLine(definition, args, {});
      return parsed?.kind === 'command' ? [] : [command];
    });
    expect(refused).toEqual([]);
  });

  it('troubleshooting.md checks a denied file by policies as kubectl lists them', async () => {
    const [, get = '', check = ''] = /a denied apply \| `(.*?)` \| `probewright (.*?)`/.exec(troubleshooting) ?? [];
    const directory = await temporaryDirectory();
    const policies = join(directory, /> (.*)$/.exec(get)?.[1] ?? 'no file');
    const file = join(directory, 'web.yaml');
    const items = ['cpp', 'pp', 'pe'].map((name) => ({
      apiVersion: 'probewright.dev/v1alpha1',
      kind: { cpp: 'ClusterProbePolicy', pp: 'ProbePolicy', pe: 'ProbeException' }[name],
      metadata: { name, ...(name !== 'cpp' && { namespace: 'apps' }), uid: 'u', resourceVersion: '1' },
      spec: {
        cpp: { checks: { 'named-port': { action: 'Deny' } } },
        pp: { checks: { 'required-startup': { action: 'Warn' } } },
        pe: {
          workloads: [{ kind: 'Deployment', name: 'other' }],
          checks: ['named-port'],
          owner: 'team',
          reason: 'it goes away soon',
          expires: '2099-01-01T00:00:00Z',
        },
      }[name],
      status: {},
    }));
    await writeFile(policies, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    await writeFile(file, readFileSync('examples/typo.yaml', 'utf8').replace('namespace: shop', 'namespace: apps'));
    const args = check.split(' ').map((word) => ({ FILE: file, 'policies.yaml': policies })[word] ?? word);
    const { code, stdout, stderr } = await runProbewright(args);
    expect({ code, stderr }).toMatchObject({ code: 1 });
    expect(stdout).toContain('did you mean "http"? (named-port)');
    expect(stdout).toContain('(required-startup)');
  });

  it.each(PAGES)('%s has e2e blocks that are self-contained', (page) => {
    for (const [, info = '', block = ''] of doc(page).matchAll(/^```(sh e2e.*)\n([\s\S]*?)^```$/gm)) {
      expect(['sh e2e', 'sh e2e fails']).toContain(info);
      expect(block, 'only kubectl and helm').toMatch(/^(kubectl|helm) /);
      for (const [command] of block.matchAll(/^helm (install|upgrade) .*/gm))
        expect(command).toMatch(/^helm \w+ probewright charts\/probewright --namespace probewright-system( |$)/);
    }
  });

  it.each(PAGES)('%s names no machine of anybody', (page) => {
    // Names of examples end in .example or begin with registry.example.
    expect(doc(page)).not.toMatch(/ghcr\.io|docker\.io|quay\.io|\/(?:home|Users|root|work)\//);
  });
});

/** Flags of helm, kubectl and the other commands. */
const OTHER_FLAGS = new Set([
  ...COMMAND_DEFINITIONS.flatMap(({ flags }) => Object.keys(flags)),
  'output',
  'help',
  'force-conflicts',
  'post-renderer-args',
  'enable-exec',
  // of curl
  'fail',
  'take-ownership',
  'kube-version',
  'api-versions',
  'values',
  'set',
  'reset-then-reuse-values',
  'reuse-values',
  'skip-tests',
  'admission-control-config-file',
  'validate',
  'show-managed-fields',
  'server-side',
  'save-config',
  'type',
  // of kubectl debug
  'copy-to',
  'keep-labels',
  'keep-annotations',
  'flag', // stands for any
]);

/** Below an empty map or list anything may stand. */
function hasValue(values: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (typeof values !== 'object' || values === null) return false;
  if (Object.keys(values).length === 0) return true;
  return Object.hasOwn(values, key) && hasValue((values as Record<string, unknown>)[key], rest);
}
