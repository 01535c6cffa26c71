import { describe, expect, it } from 'vitest';
import { findsItself } from '../../../src/engine/command/meaning.ts';
import { knownProgram, statusOf } from '../../../src/engine/command/programs.ts';

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');

/** Why a command never fails. The program may read the output of another one. */
function status(command: string, isFed = false): string | undefined {
  const [program = '', ...operands] = words(command);
  const found = statusOf(program, operands, isFed);
  return found && `${found.reason} ${found.program}`;
}

describe('a program', () => {
  it.each([
    ['exit 0', 'constant exit 0'],
    ['return 0', 'constant return 0'],
    ['true', 'constant true'],
    [': x', 'constant :'],
    ['echo failed', 'constant echo'],
    ['curl web', 'answer curl'],
    ['curl -so x --url web', 'answer curl'],
    ['curl --url=HTTP://web', 'answer curl'],
    ['curl https://web https://other', 'answer curl'],
    ['curl $URL', 'answer curl'],
    ['curl web/$PATH web/$', 'answer curl'],
    ['curl -X POST -d -f web', 'answer curl'],
    ['redis-cli -h web ping', 'ping redis-cli'],
    ['valkey-cli PING', 'ping valkey-cli'],
    ['redis-cli info', 'ping redis-cli'],
    ['find /tmp/x -mmin -1', 'output find'],
    ['dig web', 'output dig'],
    ['nodetool status', 'output nodetool'],
    ['jq .up', 'output jq'],
    ['ps aux', 'constant ps'],
    ['cat /dev/null', 'constant cat'],
    ['wait', 'constant wait'],
    ['cd /', 'constant cd'],
    ['printf ok', 'constant printf'],
  ])('never fails with %s', (command, reason) => expect(status(command)).toBe(reason));

  it.each([
    ...[
      'exit',
      'exit 1',
      'exit 1 0',
      'return $?',
      'app',
      'app 0',
      'ls web',
      'head -1',
      'cat /x',
      'printf %d x',
      'date -r /x',
      'find /x',
      'whoami',
      'wait 1',
    ],
    ...['curl', 'curl -s', 'curl -f web', 'curl -sSf web', 'curl --fail web', 'curl --fail-with-body web'],
    ...['curl -K x web', 'curl --config x web', 'curl -V web', 'curl --version web', 'curl -h web', 'curl --help web'],
    ...['curl $OPTIONS web', 'curl web $OPTIONS', 'curl telnet://web', 'curl http://web ftp://web'],
    ...['redis-cli', 'redis-cli -e ping', 'app ping'],
  ])('may fail with %j', (command) => expect(status(command)).toBeUndefined());

  it.each(['awk', 'gawk', 'mawk', 'sed', 'cut', 'head', 'tail', 'tr', 'tee', 'cat', 'wc', 'sort', 'uniq'])(
    'that reads the output of another one hides its status: %s',
    (program) => {
      expect(status(program, true)).toBe(`filter ${program}`);
      expect(status(`${program} -1`, true)).toBe(`filter ${program}`);
      expect(status(program)).toBe(program === 'cat' ? 'constant cat' : undefined);
    },
  );

  it.each([
    ...['awk {exit 1}', 'gawk getline', 'mawk close(x)', 'awk -v x=1 system(x)'],
    ...['sed /b/q1', 'sed -n Q9', 'jq -e .up', 'jq -re .up', 'jq --exit-status .up', 'jq .a error(1)', 'jq halt'],
    ...[
      'sort -c',
      'sort -uC',
      'sort -u --check',
      'cat /tmp/x',
      'cat -n /tmp/x',
      'head -n 1 /x',
      'tee /x',
      'wc -l /x',
      'awk {print} /x',
      'sed s/a/b/ /x',
      'grep x',
    ],
  ])('that reads the output of another one may fail with %s', (command) =>
    expect(status(command, true)).toBeUndefined(),
  );

  it.each([
    ['sed s/a/exit/', 'filter sed'],
    ['sed /b/q0', 'filter sed'],
    ['awk -c {print}', 'filter awk'],
    ['awk /q1/', 'filter awk'],
    ['sort -e', 'filter sort'],
    ['tr q1 -e', 'filter tr'],
    ['cut -c q1', 'filter cut'],
    ['cat -', 'filter cat'],
    ['tee /dev/stderr', 'filter tee'],
    ['head -n 1', 'filter head'],
    ['cut -d : -f 1', 'filter cut'],
    ['jq -r .up', 'output jq'],
    ['cat -c -e', 'filter cat'],
    ['curl web', 'answer curl'],
    ['redis-cli ping', 'ping redis-cli'],
    ['echo ok', 'constant echo'],
  ])('that reads the output of another one never fails with %s', (command, reason) =>
    expect(status(command, true)).toBe(reason),
  );
});

describe('a tool of distributions', () => {
  it.each([
    ...['ps', 'pgrep', 'grep', 'find', 'ss', 'netstat', 'dig', 'ping', 'curl', 'wget', 'nc', 'ncat'],
    ...['awk', 'sed', 'cat', 'rm', 'touch', 'kill', 'timeout', 'xargs', 'pkill', 'test', 'printf'],
  ])('is %s, so an image without a distribution lacks it', (program) => {
    expect(knownProgram(program)?.isTool).toBe(true);
  });

  it.each(['psql', 'redis-cli', 'nginx', 'pg_isready', 'grpc_health_probe', 'findstr', 'jq'])(
    'is not %s, which comes with an application',
    (program) => {
      expect(knownProgram(program)?.isTool ?? false).toBe(false);
    },
  );
});

describe('a pipe of ps and grep', () => {
  const found = (...stages: readonly string[]): boolean => findsItself(stages.map(words));

  it.each([
    [['ps aux', 'grep nginx']],
    [['ps', 'grep -q nginx']],
    [['ps -ef', 'grep java', 'grep -q App']],
    [['ps -e x', 'grep nginx-v']],
  ])('finds its own process: %j', (stages) => expect(found(...stages)).toBe(true));

  it.each([
    [[]],
    [['']],
    [['ps aux']],
    [['top', 'grep nginx']],
    [['x ps', 'grep nginx']],
    [['ps aux', 'grep']],
    [['ps aux', '']],
    [['ps aux', 'awk nginx']],
    [['ps aux', 'grep nginx', 'wc']],
    [['ps aux', 'wc', 'grep nginx']],
    [['ps aux', 'grep [n]ginx']],
    [['ps aux', 'grep -q ^nginx$']],
    [['ps aux', 'grep -v nginx']],
    [['ps aux', 'grep -qx nginx']],
    [['ps aux', 'grep -L nginx']],
    [['ps aux', 'grep nginx', 'grep -v grep']],
    [['ps -C nginx', 'grep nginx']],
    [['ps -p 1', 'grep nginx']],
    [['ps -o pid', 'grep nginx']],
    [['ps -e O', 'grep nginx']],
  ])('may not find its own process: %j', (stages) => expect(found(...stages)).toBe(false));

  it('may have any words in a stage with a variable', () => {
    expect(findsItself([])).toBe(false);
    expect(findsItself([['ps'], []])).toBe(false);
    expect(findsItself([[], ['grep', 'x']])).toBe(false);
  });
});
