import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** One stage of one request, as kube-apiserver records it at level Metadata; only what the tests look at. */
export interface AuditEvent {
  readonly auditID: string;
  /** `ResponseStarted` is only told for requests that last, such as watches. */
  readonly stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  /** Absent when the request is for no resource, such as `/version`. */
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  /** What admission says of the request; a webhook's keys begin with the webhook's name. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code?: number; readonly message?: string };
  readonly stageTimestamp: string;
}

const policyName = 'audit-policy.json';
const logName = 'audit.log';

/** Everything that these users ask is recorded, and nothing else: the log of a whole cluster would be mostly controllers. */
export async function writeAuditPolicy(directory: string, users: readonly string[]): Promise<void> {
  const rules = [{ level: 'Metadata', users }, { level: 'None' }];
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', omitStages: ['RequestReceived'], rules };
  await writeFile(join(directory, policyName), JSON.stringify(policy));
}

/** The flags of kube-apiserver for the policy above. */
export function auditFlags(directory: string): string[] {
  return [`--audit-policy-file=${join(directory, policyName)}`, `--audit-log-path=${join(directory, logName)}`];
}

/** What the log holds so far; a line that is still being written is left out. */
export async function readAuditLog(directory: string): Promise<AuditEvent[]> {
  const text = await readFile(join(directory, logName), 'utf8').catch(() => '');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent);
}
