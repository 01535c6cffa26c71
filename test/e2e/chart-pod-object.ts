/** A Pod as the API server has it; only what a kubelet looks at. */
export interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly nodeName?: string;
    readonly serviceAccountName: string;
    readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
    readonly terminationGracePeriodSeconds: number;
    readonly containers: readonly [ContainerObject, ...ContainerObject[]];
    readonly volumes?: readonly VolumeObject[];
  };
  readonly status?: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export interface ContainerObject {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly startupProbe?: ProbeObject;
  readonly livenessProbe?: ProbeObject;
  readonly readinessProbe?: ProbeObject;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
}

/** With the numbers that the API server has filled in. */
export interface ProbeObject {
  readonly httpGet: { readonly path: string; readonly port: string | number };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

interface KeyToPath {
  readonly key: string;
  readonly path: string;
}

interface DownwardApi {
  readonly items: readonly { readonly path: string; readonly fieldRef: { readonly fieldPath: string } }[];
}

export interface VolumeObject {
  readonly name: string;
  readonly downwardAPI?: DownwardApi;
  readonly configMap?: { readonly name: string; readonly items?: readonly KeyToPath[] };
  readonly projected?: {
    readonly sources: readonly {
      readonly serviceAccountToken?: { readonly path: string; readonly expirationSeconds?: number };
      readonly configMap?: { readonly name: string; readonly items?: readonly KeyToPath[] };
      readonly downwardAPI?: DownwardApi;
    }[];
  };
}

/** The number of a port that a probe or a Service names. */
export function portNumber(container: ContainerObject, port: string | number): number {
  if (typeof port === 'number') return port;
  const found = container.ports?.find(({ name }) => name === port)?.containerPort;
  if (found === undefined) throw new Error(`container ${container.name} has no port ${port}`);
  return found;
}

export function isReady(pod: PodObject): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}
