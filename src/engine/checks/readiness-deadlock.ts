import { quote } from '../../base/text/cut.ts';
import { containerPhrase, defineCheck, located } from './check.ts';
import { oncePerWorkload, selectingServices, type CheckedWorkload } from './checked-workload.ts';
import { workloadNameOf } from '../workload/workload-of-pod.ts';
import { probeOf, type Container } from '../workload/pod.ts';

/**
 * A headless Service resolves to ready Pods only, unless publishNotReadyAddresses is true (docs, "DNS for Services and
 * Pods"). Members that find each other by its name and are Ready once they have joined never start. Whether a single
 * member is Ready alone stands in no manifest, so the finding is a note.
 */
export const readinessDeadlock = defineCheck({
  id: 'readiness-deadlock',
  summary: 'Members find each other by a headless Service that lists ready members only.',
  action: 'Audit',
  run: (container, _, workload) => {
    const names = headlessNamesOf(workload);
    const readiness = names.length === 0 ? undefined : probeOf(container, 'readinessProbe');
    const service = readiness && peerServiceIn(container, names, workload.namespace, nameOf(workload));
    if (readiness === undefined || service === undefined) return undefined;
    return {
      ...located(readiness),
      message: `${containerPhrase(container)} names its own headless Service ${quote(service)}, which has no Pod in DNS before one is Ready`,
      remedy: 'write publishNotReadyAddresses: true in the Service if members wait for each other',
    };
  },
});

function nameOf({ object, kind }: CheckedWorkload): string | undefined {
  return workloadNameOf(object, kind, false)?.name;
}

/** The headless Services that have the Pod in DNS once it is ready. */
const headlessNamesOf = oncePerWorkload((workload) =>
  selectingServices(workload)
    .filter(({ namesReadyPods }) => namesReadyPods)
    .map(({ name }) => name),
);

/** Most places of a name that are looked at in a container. */
const MOST_PLACES = 1000;

/**
 * The first of the Services that the container names as an address.
 *
 * @param workload the name of the StatefulSet, which begins the names of its Pods
 */
function peerServiceIn(
  container: Container,
  services: readonly string[],
  namespace: string,
  workload = '',
): string | undefined {
  const texts = container.settings().filter(({ name }) => !OWN_ADDRESS.test(name));
  if (services.length === 0) return undefined;
  const isAddress = addressTest(namespace, workload);
  let places = 0;
  return services.find((service) =>
    texts.some(({ name, value: text = '' }) => {
      for (let at = text.indexOf(service); at >= 0; at = text.indexOf(service, at + 1)) {
        const end = at + service.length;
        if (places++ > MOST_PLACES) return false;
        if (isAddress(text.slice(Math.max(0, at - WINDOW), at), text.slice(end, end + WINDOW), name)) return true;
      }
      return false;
    }),
  );
}

/** Most characters around a name that are looked at: a label has 63. */
const WINDOW = 100;

/** Names of the address that others see, or that the process listens on: nothing is looked up. */
const OWN_ADDRESS = /advertise|listen|bind|public|external/i;

/** Names whose value is an address: `CLUSTER_JOIN_ADDR`, `--peers`, `discovery.seed_hosts`. */
const FOR_ADDRESSES = new RegExp(
  '(?:^|[^a-z])(?:hosts?|dns|discovery|headless|(?:addr|address|peer|seed|join|member|node|server|endpoint|url)' +
    '(?:e?s)?(?!.name))(?:$|[^a-z])',
  'i',
);

/** A label ends here, and so does the name. */
const END = String.raw`(?![\w-]|\.\w)`;
const VARIABLE = String.raw`\$\([\w.-]+\)|\$\{[^}\s]+\}|\$\w+`;
const PORT = new RegExp(String.raw`^:(?:\d{2,5}${END}|\$)`);
const NOTHING_MORE = new RegExp(String.raw`^\.?${END}`);

/**
 * Tells by the texts around a Service's name whether it is an address: `svc.ns`, `svc.ns.svc.cluster.local`, `svc:80`,
 * `http://svc`, and `pod-0.svc` or `$(POD).svc` of an own Pod. Whole labels count: `web` is not in `my-web:80`. The
 * name alone counts where the variable or flag says that it is for addresses.
 */
function addressTest(namespace: string, workload: string): (before: string, after: string, name: string) => boolean {
  const [ns, own] = [namespace, workload].map((text) => text.replace(/[^\w-]/g, String.raw`\$&`));
  const inNamespace = new RegExp(String.raw`^\.(?:${ns}|${VARIABLE})(?:\.svc(?:\.[\w-]+)*)?\.?${END}`);
  const ofPod = new RegExp(String.raw`(?:^|[^\w.-])(?:${own}-\d+|[^\s,;:/@.=]*[$%][^\s,;:/@.=]*|_[\w-]+\._\w+)\.$`);
  return (before, after, name) => {
    const isFirst = /(?:^|[^\w.)}-])$/.test(before);
    const isOfPod = ofPod.test(before);
    if (!isFirst && !isOfPod) return false;
    if (inNamespace.test(after) || PORT.test(after)) return true;
    if (!NOTHING_MORE.test(after)) return false;
    if (isOfPod || /:\/\/(?:[^\s/@]*@)?$/.test(before)) return true;
    return FOR_ADDRESSES.test(name) && /(?:^|[,;\s])$/.test(before) && /^\.?(?:$|[,;\s])/.test(after);
  };
}
