import { execFile } from 'node:child_process';
import { chmod, cp, link, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { all, readDockerfile, words } from './dockerfile.ts';
import { productionBundle } from './production-bundle.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const node = join(root, 'node_modules/node/bin/node');

/** The container image as a directory, and what its Dockerfile says of how it is run. */
export interface Image {
  /** `KEY=value`. */
  readonly env: readonly string[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  /** `65532:65532`. */
  readonly user: string;
  /** A root for one container, quickly: files are shared, directories are its own. */
  unpack(target: string): Promise<void>;
  remove(): Promise<void>;
}

/** Puts the image's files together; image.cluster.test.ts proves that the Dockerfile does so from a clean tree. */
export async function makeImage(): Promise<Image> {
  const [, runtime, image] = await readDockerfile(root);
  if (runtime === undefined || image === undefined) throw new Error('the Dockerfile has three stages');
  const bundle = await productionBundle();
  const directory = await temporaryDirectory('chart-image');
  const files = join(directory.path, 'root');
  await mkdir(files);
  const env = { ...process.env, PATH: `${dirname(node)}:${process.env['PATH'] ?? ''}` };
  for (const command of all(runtime, 'RUN')) await run('sh', ['-c', command.replaceAll('/rootfs', files)], { env });
  const entrypoint = words(image, 'ENTRYPOINT');
  // Node is where the build machine has it; the image's is where its base image has it.
  const interpreter = join(files, entrypoint[0] ?? '');
  await mkdir(dirname(interpreter), { recursive: true });
  if (interpreter !== join(files, node)) await link(join(files, node), interpreter);
  await cp(dirname(bundle.program), join(files, 'app'), { recursive: true });
  await bundle.remove();
  for (const path of [files, join(files, 'app')]) await chmod(path, 0o755);
  return {
    env: all(image, 'ENV'),
    entrypoint,
    command: words(image, 'CMD'),
    user: all(image, 'USER')[0] ?? '',
    unpack: async (target) => {
      await run('cp', ['--archive', '--link', files, target]);
    },
    remove: directory.remove,
  };
}
