// Helm starts a post-renderer with the manifests on standard input, and with the words of --post-renderer-args as
// arguments. Helm shows standard error of a post-renderer only if the post-renderer fails.
const given = process.argv.slice(2);
const has = (...flags) => given.some((word) => flags.includes(word.split('=')[0]));
// Helm 4.1 does not set HELM_NAMESPACE for a post-renderer, and rendered objects mostly name no namespace.
const { HELM_NAMESPACE: namespace } = process.env;
const isPlaced = has('-n', '--namespace');
if (!has('--policies', '--advice')) refuse('--policies', 'DIR', 'without policies no probe is added');
if (!isPlaced && !namespace) refuse('--namespace', 'NAME', 'Helm does not tell the namespace of the release');
process.argv.splice(2, process.argv.length, 'fix', '-', ...(isPlaced ? [] : ['--namespace', namespace]), ...given);
await import('../../bin/probewright.js');

function refuse(flag, value, reason) {
  console.error(`probewright: ${reason}; add --post-renderer-args ${flag}=${value}`);
  process.exit(2);
}
