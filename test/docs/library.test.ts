import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { parseProbePolicy } from '../../src/engine/policy/read-policy.ts';
import type { ProbePolicy } from '../../src/engine/policy/probe-policy.ts';
import { policyAdvice } from '../../src/engine/verdict/policy-advice.ts';
import { guaranteedStartSeconds, probeTiming } from '../../src/engine/time/timing.ts';
import { parseYamlDocuments } from '../../src/yaml/reading/documents.ts';
import { chartFiles } from '../../scripts/chart/chart-files.ts';

const LIBRARY = 'examples/library';
const files = readdirSync(LIBRARY).map((name) => ({ name, text: readFileSync(`${LIBRARY}/${name}`, 'utf8') }));

/** The policy in a file; that of a framework stands behind `# `. */
function policyOf({ name, text }: { readonly name: string; readonly text: string }): ProbePolicy {
  const isComment = !/^apiVersion:/m.test(text);
  const yaml = isComment ? text.slice(text.indexOf('# apiVersion:')).replaceAll(/^# ?/gm, '') : text;
  const { documents, problems } = parseYamlDocuments(name, yaml);
  expect(problems).toEqual([]);
  const parsed = parseProbePolicy(CHECK_CATALOGUE, documents[0]?.value);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  expect(parsed.warnings).toEqual([]);
  return parsed.policy;
}

const WANTED =
  'postgres mysql mariadb redis valkey memcached rabbitmq nginx httpd haproxy traefik etcd nats minio grafana prometheus alertmanager keycloak vault consul elasticsearch opensearch kibana jenkins spring-boot quarkus micronaut aspnet rails django nest';

describe('the library of policies', () => {
  it('has a file for each product and framework', () =>
    expect(files.map(({ name }) => name.replace('.yaml', '')).sort()).toEqual(WANTED.split(' ').sort()));

  it.each(files)('$name is a policy that no check complains of, and names the source of its facts', (file) => {
    const policy = policyOf(file);
    expect(policy.name).toBe(`library-${file.name.replace('.yaml', '')}`);
    expect(policy.images ?? policy.workloadSelector).toBeDefined();
    expect(policyAdvice(policy).filter(({ action }) => action !== 'Audit')).toEqual([]);
    expect(file.text).toMatch(/^# .*Source: \S+\.\S+/m);
  });

  it.each(files)('$name says how long a start is guaranteed, if it says so, as it is', (file) => {
    const said = /(\d+) s (?:are|to start)|within (\d+) s|guarantees (\d+) s/.exec(file.text);
    const probe = policyOf(file).probes.startupProbe;
    if (said === null) return expect(probe?.removed ?? probe?.integers.failureThreshold).toBeTruthy();
    const seconds = guaranteedStartSeconds(probeTiming({ ...probe?.integers }));
    expect(String(seconds)).toBe(said.slice(1).find(Boolean));
  });

  it('stands in the chart as it stands here', () => {
    const copies = [...chartFiles()].filter(([path]) => path.includes('/files/library/'));
    expect(copies.length).toBe(24);
    const schema = JSON.parse(readFileSync('charts/probewright/values.schema.json', 'utf8')) as {
      properties: { library: { items: { enum: string[] } } };
    };
    const names = copies.map(([path]) => path.replace(/^.*\/|\.yaml$/g, ''));
    expect(schema.properties.library.items.enum.toSorted()).toEqual(names.toSorted());
    for (const [path, text] of copies) expect(readFileSync(path, 'utf8'), path).toBe(text);
  });
});
