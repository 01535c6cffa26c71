import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { validate } from '../../test/support/decisions.ts';
import { runProbewright } from '../../test/cli/run-probewright.ts';
import { policySet, requestOf, reviewOf, VALIDATE_SETTINGS } from '../../test/support/worlds.ts';
import { terminalSvg, type TerminalLine } from './terminal.ts';
import { NOW } from '../../test/support/now.ts';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** The README's example: a policy, and a Deployment beside it. */
const EXAMPLE = 'examples/quick-start';

/** The pictures of the README by file name, drawn from what the program says today. */
export async function readmePictures(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['denial.svg', await denial()],
    ['fix-diff.svg', await fixDiff()],
    ['timeline.svg', await timeline()],
    ['try.svg', await triedProbes()],
  ]);
}

/** What kubectl prints for the webhook's reply to a probe whose port name has a typo. */
async function denial(): Promise<string> {
  const object = parse(await readFile('examples/typo.yaml', 'utf8')) as JsonObject;
  const { reply } = validate(requestOf(reviewOf(object)), policySet(), VALIDATE_SETTINGS, NOW);
  const message = reply.response.status?.message;
  if (message === undefined) throw new Error('examples/typo.yaml is not denied');
  const error = 'Error from server (Forbidden): error when creating "typo.yaml":';
  const webhook = 'admission webhook "validate-workloads.probewright.dev" denied the request:';
  return terminalSvg('A denial', [
    { style: 'command', text: '$ kubectl apply -f typo.yaml' },
    { style: 'error', text: error },
    { style: 'error', text: webhook },
    ...message.split('\n').map((text): TerminalLine => ({ style: 'output', text })),
  ]);
}

async function fixDiff(): Promise<string> {
  const { code, stdout, stderr } = await runProbewright(['fix', EXAMPLE, '--diff']);
  if (code !== 1 || stderr !== '') throw new Error(`fix --diff ends with ${code}: ${stderr}`);
  return terminalSvg('What fix adds', [
    { style: 'command', text: `$ probewright fix ${EXAMPLE} --diff` },
    ...stdout.trimEnd().split('\n').map(diffLine),
  ]);
}

function diffLine(text: string): TerminalLine {
  if (/^(?:---|\+\+\+|@@|diff )/.test(text)) return { style: 'muted', text };
  if (text.startsWith('+')) return { style: 'added', text };
  return { style: text.startsWith('-') ? 'removed' : 'output', text };
}

/** The picture that explain writes of the example. */
async function timeline(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'probewright-images-'));
  try {
    const { code, stderr } = await runProbewright(['explain', EXAMPLE, '--output', 'svg', '--output-dir', directory]);
    if (code !== 0) throw new Error(`explain ends with ${code}: ${stderr}`);
    return await readFile(join(directory, 'deployment-shop-web.svg'), 'utf8');
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** What try prints of a service that serves other paths than its manifest names. */
async function triedProbes(): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = ['/livez', '/readyz'].includes(request.url ?? '') ? 200 : 404;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const line = ['try', 'examples/try', '--address', '127.0.0.1'];
    const { code, stdout, stderr } = await runProbewright([...line, '--port', `8080=${port}`]);
    if (code !== 1) throw new Error(`try ends with ${code}: ${stderr}`);
    // Times differ from run to run.
    const text = stdout.trimEnd().replace(/(median|longest) [\d.]+ ms/g, '$1 1 ms');
    return terminalSvg('What try finds', [
      { style: 'command', text: `$ probewright ${line.join(' ')}` },
      ...text.split('\n').map(tryLine),
    ]);
  } finally {
    server.close();
  }
}

function tryLine(text: string): TerminalLine {
  if (text.startsWith('  fails')) return { style: 'error', text };
  return { style: /^ {10}spec\.|^ {2}passes/.test(text) ? 'added' : 'output', text };
}
