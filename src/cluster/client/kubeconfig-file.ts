import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { readRegularFile } from '../../base/files/regular-file.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { isRecord } from './kubernetes-object.ts';

/** Fields of a kubeconfig that name a file, relative to the kubeconfig's own directory. */
const FILE_FIELDS = ['certificate-authority', 'client-certificate', 'client-key'];

/**
 * Reads a kubeconfig, in the form that client-node understands: with absolute paths, and a user's `tokenFile`, which
 * client-node does not know, as the provider that it has for service accounts. Errors quote nothing of the file, as it
 * holds credentials.
 */
export async function readKubeconfig(path: string): Promise<object> {
  const config = parsed((await readRegularFile(path)).toString('utf8'));
  if (!isRecord(config)) throw new Error('it is no kubeconfig');
  const directory = dirname(path);
  return {
    ...config,
    clusters: entries(config['clusters'], 'cluster', (cluster) => withAbsolutePaths(cluster, directory)),
    users: entries(config['users'], 'user', (user) => withTokenFile(withAbsolutePaths(user, directory), directory)),
  };
}

function parsed(text: string): unknown {
  try {
    return parse(text, { merge: true });
  } catch (error) {
    // The lines after the first show the place.
    const [first = ''] = messageOf(error).split('\n');
    throw new Error(`it is no YAML: ${first}`);
  }
}

/** Clusters and users are lists of entries: a name, and a field with the content. */
function entries(
  list: unknown,
  field: string,
  change: (entry: Readonly<Record<string, unknown>>) => object,
): readonly unknown[] {
  if (!Array.isArray(list)) return [];
  return (list as unknown[]).map((entry) => {
    const content = isRecord(entry) ? entry[field] : undefined;
    return isRecord(entry) && isRecord(content) ? { ...entry, [field]: change(content) } : entry;
  });
}

function withAbsolutePaths(entry: Readonly<Record<string, unknown>>, directory: string): Record<string, unknown> {
  const absolute = ([field, value]: [string, unknown]): [string, unknown] =>
    FILE_FIELDS.includes(field) && typeof value === 'string' && value !== ''
      ? [field, resolve(directory, value)]
      : [field, value];
  return Object.fromEntries(Object.entries(entry).map(absolute));
}

/** As in kubectl, `tokenFile` wins over `token`. */
function withTokenFile(user: Readonly<Record<string, unknown>>, directory: string): object {
  const { tokenFile, token, ...rest } = user;
  if (typeof tokenFile !== 'string' || tokenFile === '') return { ...rest, token };
  const provider = { name: 'tokenFile', config: { tokenFile: resolve(directory, tokenFile) } };
  return { ...rest, 'auth-provider': provider };
}
