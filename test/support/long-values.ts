import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { appContainer, clusterPolicyDocument, pod, policySet } from './worlds.ts';
import type { Snapshot } from '../../src/engine/facts/snapshot.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** A policy that gives probes and runs every check. */
export function everyCheck(): Snapshot {
  const checks = Object.fromEntries(Object.keys(CHECK_CATALOGUE).map((id) => [id, { action: 'Warn' }]));
  const kubernetesProbeEndpoints = { livenessProbe: '/livez', readinessProbe: '/readyz', startupProbe: '/startupz' };
  return policySet(clusterPolicyDocument({ kubernetesProbeEndpoints, slowStart: { startupSeconds: 120 }, checks }));
}

/** Units on which a reader of texts may stumble when they are repeated: signs of shells, URLs, flags and expressions. */
export const UNITS: readonly string[] = [
  ...['-', '--', '-a', 'a-', '-b', '_', 'A', '0', '1.', 'a.', '.', ' ', '\t', '\n', 'é😀'],
  ...['$(', '$(A', '$(A)', '${', '"$(', '`', '\\', "'", '"', '<<', '>', '#', ';', '|', '||', '&&'],
  ...['/', '//', ':', '::', ':1,', '=', '--a=', '--host ', '%', '@', '~', '*', ',', '[', ']', '(', ')', '{', '}'],
  ...['if ', '127.', 'rs.status ', 'cluster '],
];

const LIVENESS = { httpGet: { path: '/live', port: 'http' }, initialDelaySeconds: 90 };
const EXEC = ['sh', '-c', 'curl -f localhost:8080/live'];

const withContainer = (members: JsonObject): JsonObject =>
  pod([appContainer({ livenessProbe: LIVENESS, readinessProbe: { exec: { command: EXEC } }, ...members })]);
const withMetadata = (members: JsonObject): JsonObject =>
  pod([appContainer({ livenessProbe: LIVENESS })], { metadata: members });
const withHttpGet = (members: JsonObject): JsonObject =>
  withContainer({ livenessProbe: { ...LIVENESS, httpGet: { ...LIVENESS.httpGet, ...members } } });
const withExec = (command: readonly string[]): JsonObject => withContainer({ readinessProbe: { exec: { command } } });

/** A Pod with a given text in one of its fields. */
export type PodOfText = (text: string) => JsonObject;

/** Each string field of a Pod that is read, by name. */
export const FIELDS: Readonly<Record<string, PodOfText>> = {
  name: (name) => withMetadata({ name }),
  generateName: (generateName) => withMetadata({ generateName }),
  'the key of a label': (key) => withMetadata({ labels: { [key]: 'a' } }),
  'a label': (app) => withMetadata({ labels: { app } }),
  'the key of an annotation': (key) => withMetadata({ annotations: { [`probewright.dev/${key}`]: 'a' } }),
  'an annotation': (path) => withMetadata({ annotations: { 'probewright.dev/liveness-path': path } }),
  'an annotation with a number': (text) => withMetadata({ annotations: { 'probewright.dev/startup-seconds': text } }),
  'the main container': (text) => withMetadata({ annotations: { 'kubectl.kubernetes.io/default-container': text } }),
  restartPolicy: (restartPolicy) => pod([appContainer()], { spec: { restartPolicy } }),
  'the name of a container': (name) => withContainer({ name }),
  image: (image) => withContainer({ image }),
  workingDir: (workingDir) => withContainer({ workingDir }),
  command: (text) => withContainer({ command: [text] }),
  'the script of a command': (text) => withContainer({ command: ['sh', '-c', text] }),
  'an argument': (text) => withContainer({ args: [text], readinessProbe: LIVENESS }),
  'a flag': (text) => withContainer({ args: [`--listen=${text}`], readinessProbe: LIVENESS }),
  'the value of a flag': (text) => withContainer({ args: ['--bind', text], readinessProbe: LIVENESS }),
  'the name of a variable': (name) => withContainer({ env: [{ name, value: 'a' }] }),
  'the value of a variable': (value) => withContainer({ env: [{ name: 'A', value }] }),
  'the name of a port': (name) => withContainer({ ports: [{ name, containerPort: 8080 }] }),
  'the protocol of a port': (protocol) => withContainer({ ports: [{ containerPort: 8080, protocol }] }),
  path: (path) => withHttpGet({ path }),
  'a path with a slash': (text) => withHttpGet({ path: `/${text}` }),
  'a path with a scheme': (text) => withHttpGet({ path: `http://${text}` }),
  host: (host) => withHttpGet({ host }),
  scheme: (scheme) => withHttpGet({ scheme }),
  port: (port) => withHttpGet({ port }),
  'the name of a header': (name) => withHttpGet({ httpHeaders: [{ name, value: 'a' }] }),
  'the value of a header': (value) => withHttpGet({ httpHeaders: [{ name: 'a', value }] }),
  'the program of a probe': (text) => withExec([text]),
  'an argument of a probe': (text) => withExec(['curl', text]),
  'the script of a probe': (text) => withExec(['sh', '-c', text]),
  'a variable in the script of a probe': (text) => withExec(['sh', '-c', `$(${text})`]),
  'a variable in an argument of a probe': (text) => withExec(['check', `$(${text})`]),
  'a word behind the script of a probe': (text) => withExec(['sh', '-c', 'check', text]),
  'the command of a hook': (text) => withContainer({ lifecycle: { preStop: { exec: { command: [text] } } } }),
  'a gRPC service': (service) => withContainer({ livenessProbe: { grpc: { port: 8080, service } } }),
  'the host of a TCP probe': (host) => withContainer({ livenessProbe: { tcpSocket: { port: 8080, host } } }),
};

/** A Pod with a given list in one of its fields. */
export type PodOfList = (texts: readonly string[]) => JsonObject;

/** Each list of a Pod that is read, by name. */
export const LISTS: Readonly<Record<string, PodOfList>> = {
  args: (args) => withContainer({ args, readinessProbe: LIVENESS }),
  'flags of args': (texts) =>
    withContainer({ args: texts.map((text) => `--listen=${text}`), readinessProbe: LIVENESS }),
  'hosts of args': (texts) =>
    withContainer({ args: texts.flatMap(() => ['--host', '127.0.0.1']), readinessProbe: LIVENESS }),
  command: (command) => withContainer({ command, readinessProbe: LIVENESS }),
  'words of a probe': (texts) => withExec(['check', ...texts]),
  'words behind the script of a probe': (texts) => withExec(['sh', '-c', ...texts]),
  env: (texts) => withContainer({ env: texts.map((name, index) => ({ name: `${name}${index}`, value: name })) }),
  headers: (texts) => {
    const httpHeaders = texts.map((value, index) => ({ name: `${value.slice(0, 63)}${index}`, value }));
    const probe = { httpGet: { ...LIVENESS.httpGet, httpHeaders } };
    return withContainer({ livenessProbe: probe, readinessProbe: probe });
  },
  ports: (texts) =>
    withContainer({ ports: texts.map((text, index) => ({ name: `${text}${index}`, containerPort: index })) }),
  labels: (texts) => withMetadata({ labels: Object.fromEntries(texts.map((text, index) => [`l${index}`, text])) }),
  annotations: (texts) =>
    withMetadata({
      annotations: Object.fromEntries(
        texts.map((text, index) => [`probewright.dev/${text.slice(0, 63)}${index}`, text]),
      ),
    }),
};

/** A Pod with a container for each text. */
export const podOfContainers: PodOfList = (texts) =>
  pod(
    texts.map((text, index) =>
      appContainer({ name: `c${index}`, args: [`--listen=${text}`], livenessProbe: LIVENESS, command: EXEC }),
    ),
  );

/** Repeats a unit to a text of about this length. */
export function longText(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length));
}
