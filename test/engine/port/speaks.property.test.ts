import fc from 'fast-check';
import { expect, it } from 'vitest';
import { servicesOfPod } from '../../../src/engine/facts/services.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { appContainer, clusterPolicyDocument, pod, policySet } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const policies = policySet(
  clusterPolicyDocument({
    containers: ['*'],
    kubernetesProbeEndpoints: { startupProbe: '/livez', livenessProbe: '/livez', readinessProbe: '/readyz' },
  }),
);

/** The probes that a policy for all containers gives to a container without its own. */
function injectedInto(container: JsonObject): readonly JsonObject[] {
  const read = readPod(pod([appContainer(container)]), POD_KIND);
  const policy = { ...policies.policyFor('apps', read.labels), services: servicesOfPod([], read.labels) };
  return permittedDefaulting(read, policy).injections.map(({ probe }) => probe);
}

const general = fc.constantFrom('http', 'web', 'api', 'app', 'server', 'main', 'backend', 'ui', 'http-api', undefined);
const httpNumber = fc.constantFrom(80, 3000, 8000, 8080, 8081, 9000);
const port = (number: number, name?: string): JsonObject => ({ containerPort: number, ...(name && { name }) });

const PRODUCTS = [
  'amqp',
  'postgres',
  'kafka',
  'sip',
  'redis',
  'mysql',
  'mongodb',
  'mqtt',
  'ldap',
  'smtp',
  'dns',
  'vnc',
];
const OTHERS = [...PRODUCTS, 'grpc', 'otlp', 'rdp', 'statsd', 'thrift', 'tcp', 'metrics', 'webhook', 'h2c', 'gossip'];
const NUMBERS = [22, 25, 53, 3306, 3389, 4317, 4318, 5060, 5432, 5672, 5900, 6379, 9042, 9092, 11211, 27017];
const IMAGES = [
  'postgres:16',
  'docker.io/bitnami/redis:7',
  'cp-kafka',
  'acme/redis_exporter:1',
  'x/dns-exporter@sha256:1',
];
const affix = fc.constantFrom('', 'my', 'x1', 'port');

/** A container with a general port, and one sign of another protocol. */
const signed = fc.oneof(
  fc.tuple(fc.constantFrom(...OTHERS), affix, httpNumber).map(([word, suffix, number]) => ({
    ports: [port(number, suffix === '' ? word : `${word}-${suffix}`)],
  })),
  fc.tuple(general, fc.constantFrom(...NUMBERS)).map(([name, number]) => ({ ports: [port(number, name)] })),
  fc.tuple(general, httpNumber, fc.constantFrom(...PRODUCTS), fc.boolean()).map(([name, number, word, isFirst]) => {
    const both = [port(number, name), port(7777, word)];
    return { ports: isFirst ? both : both.toReversed() };
  }),
  fc.tuple(general, httpNumber, fc.constantFrom(...IMAGES)).map(([name, number, image]) => ({
    image,
    ports: [port(number, name)],
  })),
  fc.tuple(general, httpNumber, fc.constantFrom('redis', 'rabbitmq', 'node-exporter')).map(([name, number, owner]) => ({
    name: owner,
    ports: [port(number, name)],
  })),
  fc
    .tuple(general, httpNumber, fc.constantFrom('--grpc-port=', '--metrics-addr=:', '--webhook-port=', '--thriftPort='))
    .map(([name, number, flag]) => ({ args: [`${flag}${number}`], ports: [port(number, name)] })),
  fc.tuple(general, httpNumber).map(([name, number]) => ({
    env: [{ name: 'SERVER_TLS', value: 'true' }],
    ports: [port(number, name)],
  })),
  fc.tuple(fc.constantFrom('q-api', 'redisexp', 'filebeat', 'sink', 'db'), httpNumber).map(([name, number]) => ({
    ports: [port(number, name)],
  })),
);

it('no HTTP probe is injected at a port whose number, name, neighbours, owner or settings say another protocol', () => {
  fc.assert(
    fc.property(signed, (container) => {
      expect(injectedInto(container)).toEqual([]);
    }),
  );
});

it('a port with a general name, or without one, gets the probes where nothing says another protocol', () => {
  fc.assert(
    fc.property(general, httpNumber, (name, number) => {
      const ports = [port(number, name), port(9090, 'grpc'), port(9091, 'metrics')];
      expect(injectedInto({ ports }).map(({ httpGet }) => httpGet)).toEqual([
        { path: '/livez', port: name ?? number },
        { path: '/readyz', port: name ?? number },
        { path: '/livez', port: name ?? number },
      ]);
    }),
  );
});
