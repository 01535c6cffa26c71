import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProbewright } from '../cli/run-probewright.ts';
import { withTools } from '../cli/tools-on-path.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const folders = [process.env['KUBEBUILDER_ASSETS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)];
const found = (name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => path !== name && existsSync(path));
const helm = found('helm');
if (helm === undefined) console.log('helm is neither in KUBEBUILDER_ASSETS nor on the PATH: its tests are skipped');

describe.skipIf(helm === undefined)('charts with the real helm', () => {
  let directory: string;
  let restore: () => void;
  const run = promisify(execFile);
  beforeEach(async () => {
    directory = await temporaryDirectory();
    const tools = await temporaryDirectory();
    await mkdir(join(tools, 'bin'));
    await symlink(helm ?? '', join(tools, 'bin/helm'));
    restore = await withTools(tools, {});
    await run(helm ?? '', ['create', join(directory, 'web')]);
  });
  afterEach(() => {
    restore();
  });

  it('are rendered with values, findings have their line, and fix names the value', async () => {
    const values = join(directory, 'web/values.yaml');
    await writeFile(values, (await readFile(values, 'utf8')).replaceAll('port: http\n', 'port: htpp\n'));
    const { code, stdout } = await runProbewright(['check', directory], { directory });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^DIR\/web\/templates\/deployment\.yaml:\d+:11: error: Deployment default\/web: .*"htpp"/);
    const fixed = await runProbewright(['fix', directory, '--advice', '--diff'], { directory });
    expect(fixed.stdout).toBe('');
    expect(fixed.stderr).toMatch(/write "http" as value readinessProbe\.httpGet\.port in DIR\/web\/values\.yaml:\d+\n/);
    const repaired = ['livenessProbe', 'readinessProbe'].flatMap((probe) => ['--set', `${probe}.httpGet.port=http`]);
    expect((await runProbewright(['check', directory, ...repaired])).code).toBe(0);
  });

  it('that lack a dependency are one warning, and nothing is checked', async () => {
    const chart = join(directory, 'web/Chart.yaml');
    const dependency = '\ndependencies: [{ name: redis, version: 1.0.0, repository: "https://example.test" }]\n';
    await writeFile(chart, (await readFile(chart, 'utf8')) + dependency);
    const { code, stderr } = await runProbewright(['check', directory], { directory });
    const why = 'chart web is not checked, because it lacks redis; type: helm dependency build DIR/web';
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `DIR/web/Chart.yaml:1:1: warning: ${why}\nDIR:1:1: nothing is checked: ${why}; --allow-empty accepts that\n`,
    });
  });
});
