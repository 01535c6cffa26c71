// Helm starts a post-renderer with the manifests on standard input, and with the words of --post-renderer-args as
// arguments. Helm 4.1 shows nothing that a failed post-renderer writes. It shows the file of a manifest that it cannot
// read, so a failure is such a manifest: its file is the reason.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const given = process.argv.slice(2);
const has = (...flags) => given.some((word) => flags.includes(word.split('=')[0]));
// Helm 4.1 does not set HELM_NAMESPACE for a post-renderer, and rendered objects mostly name no namespace.
const { HELM_NAMESPACE: namespace } = process.env;
const isPlaced = has('-n', '--namespace');
if (!has('--policies', '--advice')) refuse('--policies', 'DIR', 'without policies no probe is added');
else if (!isPlaced && !namespace) refuse('--namespace', 'NAME', 'Helm does not tell the namespace of the release');
else fix(['fix', '-', ...(isPlaced ? [] : ['--namespace', namespace]), ...given]);

function refuse(flag, value, reason) {
  fail(`probewright: ${reason}; add --post-renderer-args ${flag}=${value}`);
}

function fix(args) {
  const program = fileURLToPath(new URL('../../bin/probewright.js', import.meta.url));
  const options = { encoding: 'utf8', stdio: ['inherit', 'pipe', 'pipe'], maxBuffer: Infinity };
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [program, ...args], options);
  if (status !== 0) fail(stderr || `probewright: ${error ? error.message : `ended with code ${status}`}`);
  else {
    process.stderr.write(stderr);
    process.stdout.write(stdout);
  }
}

function fail(text) {
  const lines = text.trim().split('\n');
  // Helm leaves out a file whose last part begins with an underscore, so the last part is a fixed one.
  const file = `${lines.join('; ').slice(0, 2000)} (post-renderer/probewright)`;
  console.error(lines.join('\n'));
  console.log(`# ${lines.join('\n# ')}
apiVersion: v1
kind: PostRendererFailed
metadata:
  name: [no text, so that Helm stops here]
  annotations:
    postrenderer.helm.sh/postrender-filename: ${JSON.stringify(file)}`);
}
