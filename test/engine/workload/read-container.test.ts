import { describe, expect, it } from 'vitest';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { containersOf, readContainer, runsForever, withProbesOf } from '../../../src/engine/workload/read-container.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Container, Pod } from '../../../src/engine/workload/pod.ts';

const podOf = (spec: JsonObject): Pod => readPod({ spec }, POD_KIND);

/** The only container of a Pod with these members. */
function containerOf(members: JsonObject, spec: JsonObject = {}): Container {
  const [container] = podOf({ containers: [{ name: 'app', ...members }], ...spec }).containers;
  if (container === undefined) throw new Error('no container');
  return container;
}

const http = { httpGet: { path: '/live', port: 8080 } };

describe('the containers of a Pod spec', () => {
  const rolesOf = (spec: JsonObject, isMeshProxy?: (name: string) => boolean): unknown =>
    containersOf(spec, isMeshProxy).map(({ name, role, list, index }) => [name, role, list, index]);

  it('come in the order of the API server, each with its place and its purpose', () =>
    expect(
      rolesOf({
        ephemeralContainers: [{ name: 'istio-proxy' }],
        initContainers: [{ name: 'a' }, { name: 'b', restartPolicy: 'Always' }, { name: 'linkerd-proxy' }],
        containers: ['no container', { name: 'c' }, null, { name: 'istio-proxy' }, {}],
      }),
    ).toEqual([
      ['c', 'application', 'containers', 1],
      ['istio-proxy', 'mesh', 'containers', 3],
      ['', 'application', 'containers', 4],
      ['a', 'init', 'initContainers', 0],
      ['b', 'sidecar', 'initContainers', 1],
      ['linkerd-proxy', 'mesh', 'initContainers', 2],
      ['istio-proxy', 'ephemeral', 'ephemeralContainers', 0],
    ]));

  it('are those of a mesh where the caller says so', () =>
    expect(rolesOf({ containers: [{ name: 'a' }, { name: 'istio-proxy' }] }, (name) => name === 'a')).toEqual([
      ['a', 'mesh', 'containers', 0],
      ['istio-proxy', 'application', 'containers', 1],
    ]));

  it.each([{}, { containers: null }, { containers: {} }, { containers: 'app' }])('are none in %j', (spec) =>
    expect(containersOf(spec)).toEqual([]),
  );
});

describe('a container', () => {
  it.each([
    ['web', 'web'],
    ['x'.repeat(253), 'x'.repeat(253)],
    ['x'.repeat(254), ''],
    [7, ''],
    [undefined, ''],
  ])('with the name %s is called %s', (name, expected) => {
    expect(podOf({ containers: [{ name }] }).containers[0]?.name).toBe(expected);
  });

  it.each([
    ['no list', undefined, [], []],
    ['null', null, [], []],
    ['a number and a name', [{ containerPort: 80, name: 'http' }], [80], [80]],
    ['a port without a number', [{ name: 'http' }, { containerPort: 80 }], undefined, [80]],
    ['a null port', [null, { containerPort: 80 }], undefined, [80]],
    ['no list of ports', { containerPort: 80 }, undefined, []],
  ])('with %s says which ports it declares', (_, ports, sound, readable) => {
    const container = containerOf({ ports });
    expect(container.ports?.map(({ number }) => number)).toEqual(sound);
    expect(container.readablePorts.map(({ number }) => number)).toEqual(readable);
  });

  it.each([
    [{}, {}, [true, true, false]],
    [{ restartPolicy: 'Never' }, {}, [false, false, true]],
    [{}, { restartPolicy: 'Never' }, [true, false, true]],
    [{}, { restartPolicy: 'Never', containers: [{}, {}] }, [true, false, false]],
    [{ restartPolicy: 'Never', restartPolicyRules: [{}] }, {}, [false, true, false]],
  ])('%j in a Pod of %j says what happens after a kill', (members, spec: JsonObject, expected) => {
    const { containers, ...others } = spec;
    const list = Array.isArray(containers) ? [members, {}] : [members];
    const [container] = podOf({ ...others, containers: list }).containers;
    expect([container?.runsForever, container?.mayBeRestarted, container?.killEndsPod]).toEqual(expected);
  });

  it('tells whether it has a preStop hook', () => {
    expect([{ preStop: {} }, { postStart: {} }, 'x'].map((lifecycle) => containerOf({ lifecycle }).hasPreStop)).toEqual(
      [true, false, false],
    );
  });

  it('has the last variable of each name, and none of a list that is too long', () => {
    const env = [{ name: 'A', value: '1' }, { name: 'A', value: '2' }, { name: 'B', valueFrom: {} }, 'no variable'];
    expect([...(containerOf({ env }).env() ?? [])]).toEqual([
      ['A', { from: 'value', value: '2' }],
      ['B', { from: 'reference', isOptional: false }],
    ]);
    expect(containerOf({ env: Array.from({ length: 1001 }, () => env[0]) }).env()).toBeUndefined();
  });

  it('has its place below the Pod, an image and its hooks', () => {
    const one = containerOf({ image: 'a:1', lifecycle: { postStart: {} } });
    expect(formatPath(one.place.path('image'))).toBe('spec.containers[0].image');
    expect([one.image, containerOf({ image: 7 }).image, containerOf({}).image]).toEqual(['a:1', '', '']);
    expect([one.hasPostStart, one.hasPreStop]).toEqual([true, false]);
  });

  it('has the flags of its command and of its arguments', () => {
    const { line } = containerOf({ command: ['server', '--port=9000'], args: ['sh', 7, '8080'] });
    expect(line.words.map(({ text }) => text)).toEqual(['server', '--port=9000', 'sh', '8080']);
  });

  it('answers a question once', () => {
    const container = containerOf({ image: 'a' });
    let asked = 0;
    const question = ({ image }: { readonly image: string }): string => `${image}${++asked}`;
    expect([container.once(question), container.once(question)]).toEqual(['a1', 'a1']);
    expect(containerOf({ image: 'b' }).once(question)).toBe('b2');
    const env = containerOf({ env: [{ name: 'A', value: '1' }] });
    expect(env.env()).toBe(env.env());
  });

  it.each([
    [[{ containerPort: 0 }], true],
    [[{ containerPort: -1 }], false],
    [[{ containerPort: 1.5 }], false],
    [[{ containerPort: '80' }], false],
    [[{ containerPort: 80 }, { containerPort: '80' }], false],
    ['80', false],
    [[], true],
  ])('says nothing about its ports where one cannot be read: %j', (ports, isSound) =>
    expect(containerOf({ ports }).ports !== undefined).toBe(isSound),
  );
});

describe('the probes of a container', () => {
  it('are those of the spec in the order of the API server, with what is written under each name', () => {
    const written = { startupProbe: http, livenessProbe: { tcpSocket: { port: 1 } }, readinessProbe: null };
    const pod = podOf({ containers: [{ name: 'app', ...written }] });
    const [placed] = containersOf(pod.spec);
    if (placed === undefined) throw new Error('no container');
    const read = readContainer(pod, placed, written);
    expect(read.written.map(({ kind }) => kind)).toEqual(['livenessProbe', 'startupProbe']);
    expect(read.probes.map((probe) => probe.written)).toEqual([written.livenessProbe, http]);
    expect(read.probes.every(({ container }) => container === read)).toBe(true);
    // Nothing is written where the caller has no object.
    expect(readContainer(pod, placed, 'text').written.map((probe) => probe.written)).toEqual([undefined, undefined]);
  });

  it('are any values under the names of probes, and those to judge have one handler', () => {
    const container = containerOf({
      livenessProbe: 'text',
      readinessProbe: { ...http, exec: { command: ['true'] } },
      startupProbe: null,
    });
    expect(container.written.map(({ kind, handler, timing }) => [kind, handler, timing === undefined])).toEqual([
      ['livenessProbe', undefined, false],
      ['readinessProbe', undefined, false],
    ]);
    expect(container.probes).toEqual([]);
  });

  it('replace those of a container that is read, whose other parts stay', () => {
    const pod = podOf({ containers: [{ name: 'app', livenessProbe: http }] });
    const [before] = pod.containers;
    if (before === undefined) throw new Error('no container');
    const spec = { name: 'other', readinessProbe: { ...http, periodSeconds: 3 } };
    const after = withProbesOf(
      before,
      spec,
      (kind) => (kind === 'readinessProbe' ? 'as written' : undefined),
      pod.commands,
    );
    expect(after.probes.map(({ kind, written, numbers }) => [kind, written, numbers.periodSeconds])).toEqual([
      ['readinessProbe', 'as written', 3],
    ]);
    expect([after.name, after.spec]).toEqual(['app', spec]);
    expect(before.probes.map(({ kind }) => kind)).toEqual(['livenessProbe']);
  });
});

it.each([
  [{}, true],
  [{ restartPolicy: null }, true],
  [{ restartPolicy: 'Always' }, true],
  [{ restartPolicy: 'OnFailure' }, false],
  [{ restartPolicy: 'Never' }, false],
])('a spec of %j runs for ever: %s', (spec, expected) => expect(runsForever(spec)).toBe(expected));
