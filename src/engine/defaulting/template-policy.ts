import { objectMember, stringMap, type JsonObject } from '../../base/json/json-value.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { CONTAINERS_ANNOTATION, readAnnotations, type WorkloadAnnotations } from '../policy/annotations.ts';
import { appliesTo, layersWithProbes, mergeLayers, type ContainerPolicy } from '../policy/container-policy.ts';
import { containersOf, DEFAULT_CONTAINER_ANNOTATION, mainContainerOf } from '../workload/containers.ts';
import type { Container, MainContainer } from '../workload/containers.ts';
import type { PolicyLayer } from '../policy/probe-policy.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';
import type { NotInjected } from './injection.ts';

/** What the policies in force and the template's own annotations give to each container of the template. */
export class TemplatePolicy {
  readonly #podAnnotations: ReadonlyMap<string, string>;
  readonly annotations: WorkloadAnnotations;
  /** Policies and the annotation identify a container by name, so a container without a name is left out. */
  readonly containers: readonly Container[];
  /** The layers that ask for probes, lowest first; the annotations are the highest. */
  readonly layers: readonly PolicyLayer[];
  /** Determined only when a layer needs the main container. */
  #found: MainContainer | undefined;

  constructor(template: JsonObject, policy: WorkloadPolicy) {
    this.#podAnnotations = stringMap(objectMember(template, 'metadata') ?? {}, 'annotations');
    this.annotations = readAnnotations(policy.annotations === 'Allow' ? this.#podAnnotations : new Map());
    this.containers = containersOf(objectMember(template, 'spec') ?? {}).filter(({ name }) => name !== '');
    const { layer } = this.annotations;
    this.layers = layersWithProbes([...policy.layers, ...(layer === undefined ? [] : [layer])]);
  }

  /** The merged policy of a container; undefined when no layer applies to it. */
  policyFor(container: Container): ContainerPolicy | undefined {
    if (container.name === '') return undefined;
    const applying = this.layers.filter((layer) => appliesTo(layer, container, () => this.#isMain(container)));
    return applying.length === 0 ? undefined : mergeLayers(applying);
  }

  /** Why no main container was found, and names in the workload's annotation that no container has. */
  unmatched(): NotInjected[] {
    if (!this.layers.some(({ containers }) => containers === 'main')) return [];
    const { containers: chosen } = this.annotations;
    const main = this.#main;
    if (chosen === undefined)
      return main.kind === 'found' ? [] : [{ code: 'no-main-container', detail: mainProblem(main) }];
    const names = new Set(this.containers.map(({ name }) => name));
    const detail = 'the annotation names it, but the Pod has no such container';
    return [...chosen]
      .filter((name) => !names.has(name))
      .slice(0, MAX_LISTED)
      .map((container) => ({ container, code: 'container-not-found', detail }));
  }

  get #main(): MainContainer {
    return (this.#found ??= mainContainerOf(this.containers, this.#podAnnotations));
  }

  /** True for the main container, or for the containers that the workload's annotation names instead. */
  #isMain(container: Container): boolean {
    const { containers: chosen } = this.annotations;
    if (chosen !== undefined) return chosen.has(container.name);
    const main = this.#main;
    if (main.kind !== 'found') return false;
    const { list, index } = main.container;
    return container.list === list && container.index === index;
  }
}

const MAX_LISTED = 20;

function mainProblem(main: Exclude<MainContainer, { kind: 'found' }>): string {
  const listed = main.candidates.slice(0, MAX_LISTED).map((name) => `"${name}"`);
  const more = main.candidates.length - listed.length;
  const candidates = listed.join(', ') + (more > 0 ? ` and ${more} more` : '');
  const hint = `name the containers in the policy or in the annotation ${CONTAINERS_ANNOTATION}`;
  if (main.kind === 'unknown-default-container')
    return `${DEFAULT_CONTAINER_ANNOTATION} names ${quoted(main.named)}, which is none of its application containers ${candidates}`;
  if (main.kind === 'no-tcp-port')
    return `cannot tell its main container: none of ${candidates || 'its containers'} declares a TCP port; ${hint}`;
  return `cannot tell its main container: ${candidates} all declare TCP ports; ${hint}`;
}
