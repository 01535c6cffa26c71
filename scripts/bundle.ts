import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { build, transform, type Metafile, type Plugin } from 'esbuild';

/**
 * client-node does not say that its modules do nothing but define things, so all of its generated models would be bundled for the one class
 * that is used: 17 MB instead of 2, and 60 MB more memory.
 */
const onlyWhatIsUsedOfClientNode: Plugin = {
  name: 'only-what-is-used-of-client-node',
  setup(builder) {
    builder.onResolve({ filter: /^@kubernetes\/client-node$|^\.\.?\// }, async (args) => {
      const isOurQuestion = (args.pluginData as { asked?: boolean } | undefined)?.asked === true;
      if (isOurQuestion) return undefined;
      const { kind, importer, resolveDir } = args;
      const resolved = await builder.resolve(args.path, { kind, importer, resolveDir, pluginData: { asked: true } });
      return /[\\/]@kubernetes[\\/]client-node[\\/]/.test(resolved.path)
        ? { ...resolved, sideEffects: false }
        : undefined;
    });
  },
};

/** A package that another one asks for and that nothing of it needs: what is exported in its stead fails when it is used. */
interface LeftOut {
  readonly packages: RegExp;
  readonly importer: RegExp;
  readonly exports: string;
}

const LEFT_OUT: readonly LeftOut[] = [
  // client-node imports undici for its own requests. Probewright takes the access out of it, for Node's own client
  // (src/cluster/client/cluster-access.ts): 1.4 MB of source, all of which would be run at the start.
  {
    packages: /^undici$/,
    importer: /[\\/]@kubernetes[\\/]client-node[\\/]/,
    exports: '{ Agent: LeftOut, ProxyAgent: LeftOut }',
  },
  // Compilers of JSON schemas: src/process/http-app.ts tells Fastify not to load them. 400 KB that would be read at the start.
  {
    packages: /^@fastify\/(ajv-compiler|fast-json-stringify-compiler)$/,
    importer: /[\\/]fastify[\\/]/,
    exports: 'LeftOut',
  },
  // Finds npm packages of a folder, for servers of JavaScript.
  { packages: /^\.\/files$/, importer: /[\\/]vscode-languageserver[\\/]/, exports: '{}' },
  // Requests and features that this server does not offer: 40 KB of names that nobody reads, and of mixins.
  {
    packages: /^\.\/protocol\.(call|color|decl|diag|file|fold|impl|in|link|moni|note|sele|sema|show|text|type)/,
    importer: /[\\/]vscode-languageserver-protocol[\\/]/,
    exports: '{}',
  },
  {
    packages: /^\.\/(call|diag|file|fold|in|link|moni|note|sema|showD|textDocumentC|textDocuments|type)[A-Za-z]*$/,
    importer: /[\\/]vscode-languageserver[\\/]lib[\\/]common[\\/](api|server)/,
    exports: 'new Proxy({}, { get: () => (Base) => Base })',
  },
];

const withoutWhatIsLeftOut: Plugin = {
  name: 'without-what-is-left-out',
  setup(builder) {
    for (const { packages, importer, exports } of LEFT_OUT)
      builder.onResolve({ filter: packages }, (args) =>
        importer.test(args.importer) ? { path: args.path, namespace: 'left-out', pluginData: exports } : undefined,
      );
    builder.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path, pluginData }) => ({
      contents: `
        function LeftOut() { throw new Error('${path} is not part of the bundle (scripts/bundle.ts)'); }
        module.exports = ${pluginData as string};
      `,
    }));
  },
};

/**
 * The editor's protocol has 300 KB of code for features that no manifest needs. Without names and white space it is two
 * thirds of that.
 */
const smallProtocol: Plugin = {
  name: 'small-protocol',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]node_modules[\\/]vscode-.*\.js$/ }, async ({ path }) => {
      const format = /[\\/]esm[\\/]/.test(path) ? 'esm' : 'cjs';
      const { code } = await transform(readFileSync(path, 'utf8'), { minify: true, platform: 'node', format });
      return { contents: code, loader: 'js' };
    });
  },
};

/** The oldest Node on which the bundle runs: the container image's, and the npm package's. */
export const OLDEST_NODE = 22;
/** What a person with an older Node reads. */
const NODE_ADVICE = 'install one from https://nodejs.org, or with a version manager, for example "nvm install 24"';
/** The entry point of the program, and the file that it becomes: `probewright.js`. */
export const PROGRAM = { probewright: 'src/probewright.js' } as const;

/**
 * Bundles programs: one process start reads a handful of files instead of hundreds. Commands stay chunks of their own,
 * so that a server does not load what only the others need.
 *
 * @param entryPoints the names of the files, and the modules that they start with
 * @returns what went into the files
 */
export async function bundle(entryPoints: Readonly<Record<string, string>>, directory: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: { ...entryPoints },
    outdir: directory,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    // Node looks for a package.json beside each import of a `.js`: 15 million instructions for one command.
    outExtension: { '.js': '.mjs' },
    target: `node${OLDEST_NODE}`,
    legalComments: 'linked',
    // Node keeps the source of what it runs in memory. Names stay, and lines of a bearable length: stack traces are to be read.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 120,
    metafile: true,
    plugins: [onlyWhatIsUsedOfClientNode, withoutWhatIsLeftOut, smallProtocol],
    // Bundled CommonJS dependencies call require for Node's own modules.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    define: {
      'process.env.PROBEWRIGHT_BUILD_COMMIT': JSON.stringify(commit()),
      'process.env.PROBEWRIGHT_OLDEST_NODE': JSON.stringify(String(OLDEST_NODE)),
      'process.env.PROBEWRIGHT_NODE_ADVICE': JSON.stringify(NODE_ADVICE),
    },
  });
  // Others start entry points by these names.
  for (const name of Object.keys(entryPoints))
    renameSync(join(directory, `${name}.mjs`), join(directory, `${name}.js`));
  return metafile;
}

/**
 * The commit that is built, as the caller or git says: the last one that changes more than action.yml. The action pins
 * the package by a hash, and the commit of this hash must not change the package.
 */
function commit(): string {
  const given = process.env['PROBEWRIGHT_BUILD_COMMIT'];
  if (given !== undefined && given !== '') return given;
  try {
    return execFileSync('git', ['log', '-1', '--format=%h', '--abbrev=12', '--', '.', ':(exclude)action.yml'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}
