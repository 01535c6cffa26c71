import { mkdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane } from './control-plane.ts';
import { type StartedProcess, startProcess } from './processes.ts';
import { type ContainerObject, type PodObject, type ProbeObject, portNumber } from './chart-pod-object.ts';
import { MERGE } from './http-requests.ts';
import { mountVolumes } from './chart-volumes.ts';
import type { Image } from './chart-image.ts';

/** What every Pod of a node shares. */
export interface PodSurroundings {
  readonly cluster: ControlPlane;
  readonly image: Image;
  /** Where the containers' roots are put. */
  readonly directory: string;
  readonly chroot: string;
  /** For a Pod whose template had a preStop sleep that the server has dropped. */
  readonly droppedSleepSeconds: number | undefined;
}

/** One Pod on the node: its container is a process in a root of its own, and its address one of the loopback's. */
export class NodePod {
  readonly object: PodObject;
  readonly address: string;
  readonly #surroundings: PodSurroundings;
  readonly #root: string;
  readonly #leaving = new AbortController();
  readonly #startTime = new Date().toISOString();
  #process: StartedProcess | undefined;
  #earlierOutput = '';
  #restarts = 0;
  #started = false;
  #ready = false;
  #exitCode: number | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(object: PodObject, address: string, surroundings: PodSurroundings) {
    this.object = object;
    this.address = address;
    this.#surroundings = surroundings;
    this.#root = join(surroundings.directory, object.metadata.uid);
  }

  get restarts(): number {
    return this.#restarts;
  }

  /** How its container ended for good; undefined before. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** The container's log, those before its restarts included. */
  output(): string {
    return this.#earlierOutput + (this.#process?.output() ?? '');
  }

  /** Starts the container and looks after it from now on. */
  start(): void {
    this.#running = this.#run();
  }

  /** Whatever befell it that a kubelet would put into events. */
  async outcome(): Promise<void> {
    await this.#running;
  }

  /** As the kubelet ends a Pod: preStop, SIGTERM, and SIGKILL when the grace period is over. */
  async terminate(): Promise<number | null> {
    const [container] = this.object.spec.containers;
    const grace = performance.now() + this.object.spec.terminationGracePeriodSeconds * 1000;
    const hook = container.lifecycle?.preStop?.sleep?.seconds ?? this.#surroundings.droppedSleepSeconds ?? 0;
    if (this.#process?.ended() === false) await sleep(hook * 1000);
    return this.#end('SIGTERM', grace - performance.now());
  }

  /** As a node ends that loses its power. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals, patience?: number): Promise<number | null> {
    this.#leaving.abort();
    const code = (await this.#process?.stop(signal, patience)) ?? null;
    await this.#running.catch(() => undefined);
    await rm(this.#root, { recursive: true, force: true });
    return code;
  }

  async #run(): Promise<void> {
    const { image, cluster } = this.#surroundings;
    await mkdir(this.#surroundings.directory, { recursive: true });
    await image.unpack(this.#root);
    await mountVolumes(cluster, this.object, this.#root);
    while (!this.#left()) {
      this.#startProcess();
      await this.#report();
      if (this.object.spec.restartPolicy === 'Always') await this.#watchOver(this.object.spec.containers[0]);
      else await this.#untilDone();
      if (this.#exitCode !== undefined || this.#left()) return;
      this.#restarts += 1;
      this.#earlierOutput = this.output();
      this.#started = this.#ready = false;
    }
  }

  #startProcess(): void {
    const { image, chroot, cluster } = this.#surroundings;
    const [container] = this.object.spec.containers;
    const { hostname, port } = new URL(cluster.server);
    const env = [
      ...image.env,
      `KUBERNETES_SERVICE_HOST=${hostname}`,
      `KUBERNETES_SERVICE_PORT=${port}`,
      `HOSTNAME=${this.object.metadata.name}`,
      ...(container.env ?? []).map(({ name, value = '' }) => `${name}=${value}`),
    ];
    const command = [...(container.command ?? image.entrypoint), ...(container.args ?? image.command)];
    // All Pods share this machine's loopback, so none may have every address of it.
    const addressed = command.map((word) => (/^--host=(0\.0\.0\.0|::)$/.test(word) ? `--host=${this.address}` : word));
    const args = ['-i', ...env, chroot, `--userspec=${image.user}`, this.#root, ...addressed];
    this.#process = startProcess(this.object.metadata.name, '/usr/bin/env', args, { cwd: '/' });
  }

  /** The probes, until the container has to be started anew or the Pod has to go. */
  async #watchOver(container: ContainerObject): Promise<void> {
    if (container.startupProbe && !(await this.#passes(container, container.startupProbe))) {
      await this.#process?.stop('SIGTERM');
      return;
    }
    this.#started = true;
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#leaving.signal]);
    const { livenessProbe, readinessProbe } = container;
    const liveness = livenessProbe && this.#each(container, livenessProbe, signal, () => over.abort());
    const readiness = readinessProbe && this.#follow(container, readinessProbe, signal);
    if (!readinessProbe) await this.#become(true);
    await Promise.all([liveness, readiness]);
    if (!this.#left()) await this.#process?.stop('SIGTERM');
  }

  /** Whether the startup probe passes before its failures are too many. */
  async #passes(container: ContainerObject, probe: ProbeObject): Promise<boolean> {
    for (let failures = 0; failures < probe.failureThreshold && !this.#left(); failures += 1) {
      if (await this.#ask(container, probe)) return true;
      if (this.#process?.ended() !== false) return false;
      await this.#wait(probe.periodSeconds, this.#leaving.signal);
    }
    return false;
  }

  async #each(container: ContainerObject, probe: ProbeObject, signal: AbortSignal, fail: () => void): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      failures = (await this.#ask(container, probe)) ? 0 : failures + 1;
      if (failures >= probe.failureThreshold || this.#process?.ended() !== false) return fail();
      await this.#wait(probe.periodSeconds, signal);
    }
  }

  async #follow(container: ContainerObject, probe: ProbeObject, signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted;) {
      failures = (await this.#ask(container, probe)) ? 0 : failures + 1;
      if (failures === 0) await this.#become(true);
      else if (failures >= probe.failureThreshold) await this.#become(false);
      // A kubelet hears at once that a container has ended.
      if (this.#process?.ended() !== false) return;
      await this.#wait(probe.periodSeconds, signal);
    }
  }

  async #become(ready: boolean): Promise<void> {
    if (ready === this.#ready) return;
    this.#ready = ready;
    await this.#report();
  }

  /** Until its end, or a container that has died meanwhile. */
  async #wait(seconds: number, signal: AbortSignal): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (!signal.aborted && performance.now() < end && this.#process?.ended() === false) await sleep(100);
  }

  async #untilDone(): Promise<void> {
    while (this.#process?.ended() === false) await sleep(100);
    this.#exitCode = (await this.#process?.stop()) ?? 137;
    if (!this.#left()) await this.#report();
  }

  #ask(container: ContainerObject, probe: ProbeObject): Promise<boolean> {
    const { path, port } = probe.httpGet;
    const url = `http://${this.address}:${portNumber(container, port)}${path}`;
    return new Promise((resolve) => {
      const asked = request(url, { agent: false, timeout: probe.timeoutSeconds * 1000 }, (answer) => {
        answer.resume();
        const status = answer.statusCode ?? 0;
        resolve(status >= 200 && status < 400);
      });
      asked.on('timeout', () => asked.destroy(new Error('too late')));
      asked.on('error', () => resolve(false));
      asked.end();
    });
  }

  #left(): boolean {
    return this.#leaving.signal.aborted;
  }

  /** The status, as a kubelet writes it. */
  async #report(): Promise<void> {
    const { name, namespace } = this.object.metadata;
    const [container] = this.object.spec.containers;
    const lastTransitionTime = new Date().toISOString();
    const done = this.#exitCode !== undefined;
    const ready = this.#ready && !done;
    const condition = (type: string, holds: boolean): object => ({
      ...{ type, status: holds ? 'True' : 'False', lastProbeTime: null, lastTransitionTime },
    });
    const state = done
      ? { terminated: { exitCode: this.#exitCode, startedAt: this.#startTime, finishedAt: lastTransitionTime } }
      : { running: { startedAt: this.#startTime } };
    const status = {
      phase: done ? (this.#exitCode === 0 ? 'Succeeded' : 'Failed') : 'Running',
      hostIP: '127.0.0.1',
      podIP: this.address,
      podIPs: [{ ip: this.address }],
      startTime: this.#startTime,
      conditions: [
        condition('Initialized', true),
        condition('Ready', ready),
        condition('ContainersReady', ready),
        condition('PodScheduled', true),
      ],
      containerStatuses: [
        {
          ...{ name: container.name, image: container.image, imageID: '', ready, started: this.#started },
          ...{ restartCount: this.#restarts, state, lastState: {} },
        },
      ],
    };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
    const answer = await this.#surroundings.cluster.request('PATCH', path, { status }, MERGE);
    if (answer.status !== 200 && answer.status !== 404) throw new Error(`PATCH ${path}: ${answer.body}`);
  }
}
