import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextPart } from '../../../../src/cli/snapshot/items/text-part.ts';
import { findings, podWith } from '../../../engine/checks/workload.ts';

const LEAVING = new Set(['web', 'my-app', '8080', 'PORT']);
const wordsOf = (words: readonly string[]): readonly string[] => {
  const line = new TextPart(LEAVING);
  return words.map((word) => line.word(word));
};
const valueOf = (name: string, value: string): string => new TextPart(LEAVING).value(name, value);

describe('the shape of a command line', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['has a hidden word for each other word', ['/acme/script', 'quick', ''], ['/x/x', 'x', '']],
    [
      'has names of flags, and numbers',
      ['--level=5', '--for', '30s', '--new=yes'],
      ['--level=5', '--for', '30s', '--new=yes'],
    ],
    ['has no long number', ['123456', '12345'], ['x', '12345']],
    ['has addresses', ['--listen=127.0.0.1:8080,[::1]:9090', ':80'], ['--listen=127.0.0.1:8080,[::1]:9090', ':80']],
    ['has the port of another host', ['--to=acme.example.com:5432'], ['--to=x.x.x:5432']],
    ['has names of objects that leave', ['my-app-0.web.svc:7000', '$(PORT)'], ['my-app-0.web.svc:7000', '$(PORT)']],
    ['has no user and no query of a URL', ['http://a:1@web:80/a?b=1#2'], ['http://web:80/x']],
    [
      'has sockets',
      ['--bind', 'unix:/run/app.sock', '/run/a.sock?t=1'],
      ['--bind', 'unix:/run/app.sock', '/run/x.sock?x=1'],
    ],
    [
      'has paths of programs and of certificates',
      ['/usr/bin/redis-server', '/a/tls/b.pem'],
      ['/usr/bin/redis-server', '/x/tls/x.pem'],
    ],
    [
      'has short flags, and long ones behind a dash as far as they are public',
      ['-ec', '-target=querier', '-acme.http-port=80', '-phunter'],
      ['-ec', '-target=querier', '-x.http-port=80', '-x'],
    ],
    [
      'has scripts',
      ['sh', '-c', 'A=b exec app --port 80 || sleep 5 # c'],
      ['sh', '-c', 'A=x exec app --port 80 || sleep 5 # x'],
    ],
    ['keeps a text that is too long unread', ['a'.repeat(5000)], ['x'.repeat(4097)]],
  ])('%s', (_, words, shown) => {
    expect(wordsOf(words)).toEqual(shown);
    expect(wordsOf(shown)).toEqual(shown);
  });
});

describe('a credential', () => {
  it.each<[string, readonly string[]]>([
    ['behind an equals sign', ['--db-password=1234', '-token=1234', 'API_KEY=1234', '--auth=12,34']],
    ['in the next word', ['--password', '1234', '-p', '1234', '-a', '1234', '-u', '1234:34', '--token', '12,34']],
    ['joined to a letter', ['-p1234', '-a1234']],
    ['with spaces', ['--password=my 1234 word']],
    ['in a script', ['sh', '-c', 'PASSWORD=1234 app --token=\'1234 a\' --key "1234" -p 1234; mysql -p1234']],
    [
      'in JSON and YAML',
      ['{"password": "1234", "token":1234}', 'secret: 1234', 'password:1234', '{"a":"{\\"password\\":\\"1234\\"}"}'],
    ],
    [
      'in the user of a URL',
      ['redis://:1234@web:80', 'https://a:1234@web/', '--url=http://1234@web,http://b:1234@web'],
    ],
    ['in the query of a URL', ['https://web:80/?a=1234&b=1234']],
    ['of another command', ['sh', '-c', 'curl -H "Authorization: Bearer 1234" http://web/']],
  ])('never leaves %s, also if it is a number', (_, words) => {
    const shown = wordsOf(words);
    expect(shown.join(' ')).not.toMatch(/1234|12,34|\b34\b/);
    expect(wordsOf(shown)).toEqual(shown);
  });

  it('never leaves as the value of a variable', () => {
    for (const name of ['PASSWORD', 'DB_PASS', 'apiKey', 'PGPASSWORD', 'TOKEN', 'CLIENT_SECRET', 'AWS_ACCESS_KEY_ID'])
      expect(valueOf(name, '1234')).toBe('x');
    expect(valueOf('PASSWORD_FILE', '/run/secrets/a')).toBe('/run/x/x');
    expect(valueOf('OPTIONS', '-Dpassword=1234 --x=1')).toBe('-x=x --x=1');
    expect(valueOf('AUTH_ADDR', 'db:8080')).toBe('db:8080');
  });

  /** Letters with digits, like base64 and hexadecimal numbers, and words. */
  const secret = fc.oneof(
    fc.stringMatching(/^[a-z]{3}[A-Z0-9]{3}[a-z0-9]{4,12}$/),
    fc.stringMatching(/^[0-9a-f]{16,40}$/).filter((text) => !/^\d{1,5}$/.test(text)),
    fc.base64String({ minLength: 12, maxLength: 40 }).filter((text) => text.length >= 12),
  );
  const spelled = fc.constantFrom<(word: string) => string>(
    (word) => word,
    (word) => `--flag=${word}`,
    (word) => `-p${word}`,
    (word) => `NAME=${word}`,
    (word) => `http://${word}@web/`,
    (word) => `http://a:${word}@web:80/`,
    (word) => `http://web/${word}?a=${word}`,
    (word) => `${word.replace(/=+$/, '')}:8080`,
    (word) => `/a/${word}/b.pem`,
    (word) => `"${word}" '${word}'`,
    (word) => `sh -c 'app "${word}" && A=${word} b $(cat ${word})'`,
    (word) => `cat <<EOF\n${word}\nEOF\necho ${word}`,
    (word) => `{"a":"${word}","b":["${word}"]}`,
  );

  it('never leaves in any spelling, and a shape is its own shape', () =>
    fc.assert(
      fc.property(secret, fc.array(spelled, { minLength: 1, maxLength: 4 }), (word, spellings) => {
        const given = spellings.map((spell) => spell(word));
        const shown = wordsOf(given);
        expect(shown.join('\n')).not.toContain(word.replace(/=+$/, ''));
        expect(wordsOf(shown)).toEqual(shown);
        for (const text of given) expect(valueOf('NAME', text)).not.toContain(word.replace(/=+$/, ''));
      }),
    ));
});

describe('the shape of the command of a hook', () => {
  it.each([
    ['gcr.io/distroless/static', ['timeout', '-s', 'KILL', '5', 'sh', '-c', 'echo bye; sleep 0.5m && exit 0']],
    ['gcr.io/distroless/static', ['sh', '-c', 'sleep 5 || /app/stop --token=secret']],
    ['gcr.io/distroless/static', ['env', 'A=b', '/app/stop', 'sh']],
    ['gcr.io/distroless/static', ['sh', '-c', 'x'.repeat(5000)]],
    ['redis:7-alpine', ['sh', '-c', 'if test -f /secret; then bash a.sh; else bash b.sh; fi']],
    ['redis:7-alpine', ['sh', '-c', 'bash a.sh || redis-cli shutdown']],
    ['gcr.io/distroless/static', ['sh', '-c', 'cat <<EOF\na\nEOF\ntest -f /a && curl http://a/b']],
  ])('in %s gets the same findings: %j', (image, command) => {
    const found = (words: unknown): unknown =>
      findings('hook-image', podWith({ image, lifecycle: { preStop: { exec: { command: words } } } }));
    expect(found(wordsOf(command))).toEqual(found(command));
  });
});
