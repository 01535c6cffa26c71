import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandActs } from '../../../src/engine/probe/exec-effects.ts';

/** Stands for the secret. */
const SECRET = '§';

/** Commands with side effects, and a secret in a value, a URL, data, a header or code. */
const WITH_SECRET: readonly (readonly string[])[] = [
  ['curl', '-d', '{"password":"§"}', 'localhost'],
  ['curl', 'http://admin:§@host/start'],
  ['curl', '-u', 'admin:§', '-XPOST', 'http://host/§?token=§#§'],
  ['curl', '-H', 'Authorization: §', '--request', 'PUT', 'localhost'],
  ['curl', '-F', 'token=§', 'localhost'],
  ['curl', '-o', '/tmp/§', 'localhost'],
  ['curl', '--data-urlencode=§', 'localhost/restart/§'],
  ['wget', '--post-data=§', 'localhost'],
  ['wget', '--password', '§', 'http://a:§@host/§/delete'],
  ['http', '-a', 'me:§', 'POST', 'host', 'key=§'],
  ['redis-cli', '-a', '§', 'debug', 'x'],
  ['redis-cli', '--pass', '§', 'debug', '§'],
  ['redis-cli', 'set-key k §'],
  ['redis-cli', '--new-option', '§', 'lpush', '§'],
  ['redis-cli', '-u', 'redis://:§@host', 'SET', 'k', '§'],
  ['kubectl', '--token', '§', 'delete', 'pod', '§'],
  ['kubectl', '--unknown', '§', 'run', 'x'],
  ['nodetool', '-pw', '§', 'drain'],
  ['myctl', '--set-password=§', '--delete'],
  ['myctl', '--password', 'a§-delete', 'x'],
  ['mysql', '-p§', '-e', "UPDATE users SET password='§'"],
  ['mysql', '-p§', '-e', '§'],
  ['psql', 'postgresql://app:§@host/db', '-c', '§ x'],
  ['psql', '-f', '/tmp/§.sql'],
  ['psql', '-f/tmp/§.sql'],
  ['sqlplus', 'app/§@db', '@job'],
  ['awk', '{ print "§" > "/tmp/x" }'],
  ['sed', '-i', 's/a/§/', 'x'],
  ['sed', '--in-place=§', 's/a/b/', 'x'],
  ['sed', 'w /§'],
  ['python', '-c', "requests.post(u, auth='§')"],
  ['python', '/opt/delete-§.py'],
  ['mongosh', 'mongodb://a:§@host', '--eval=db.§.deleteMany({ a: "§" })'],
  ['tee', '/tmp/§'],
  ['dd', 'of=/tmp/§'],
  ['sort', '-o/tmp/§', 'x'],
  ['pkill', '-u§', '§'],
  ['tar', 'xf', '§'],
  ['powershell', 'Invoke-WebRequest -Method Post -Body §'],
  ['nc', '-e/§', 'host'],
  ['nginx', '-s§'],
  ['sh', '-c', 'echo "set §" | nc localhost 1'],
  ['sh', '-c', 'cat <<EOF | app\ndelete §\nEOF'],
  ['sh', '-c', 'PASSWORD=§ rm §'],
  ['sh', '-c', "rm '§"],
  ['sh', '-c', '${X:-§} a'],
];

describe('the reason for a command with side effects', () => {
  it.each(WITH_SECRET.map((command) => [command]))('tells no value, URL, data or code of %j', (command) => {
    const secret = fc.stringMatching(/^[a-z0-9]{1,6}[0-9][A-Za-z0-9_-]{4,12}$/);
    fc.assert(
      fc.property(secret, (value) => {
        const found = commandActs(command.map((word) => word.replaceAll(SECRET, value)));
        expect(found).toBeDefined();
        expect(found).not.toContain(value);
      }),
      { numRuns: 50 },
    );
  });
});
