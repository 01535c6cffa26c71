import { expect, it } from 'vitest';
import { ApiError } from '../../../src/cluster/client/api-client.ts';
import { ObjectStatuses } from '../../../src/cluster/sources/object-statuses.ts';
import { FakeTime } from '../fake-time.ts';

const HOUR = 3_600_000;

/** A writer whose writes of one object fail with this code. */
function failing(code: number) {
  const time = new FakeTime();
  const told: string[] = [];
  let attempts = 0;
  const writer = new ObjectStatuses(
    { troubled: () => undefined, setAside: (place, reason) => told.push(`${place} ${reason}`) },
    { random: () => 1, timer: time.timer },
  );
  writer.setActive(true);
  const put = (resourceVersion: string): Promise<void> => {
    const write = (): Promise<never> => {
      attempts += 1;
      return Promise.reject(new ApiError(code, '', `HTTP ${code}`));
    };
    writer.put({ key: 'web', resourceVersion, write });
    return time.settle();
  };
  /** Lets attempts be made until there are so many. */
  const until = async (count: number): Promise<void> => {
    while (attempts < count) await time.pass(1000);
  };
  return { time, told, writer, put, until, attempts: () => attempts };
}

it('a failure of the server is reported at the fifth attempt, and a change begins the count again', async () => {
  const { told, put, until, writer } = failing(500);
  await put('1');
  await until(2);
  await put('2');
  await until(6);
  expect(told).toEqual([]);
  await until(7);
  expect([told, writer.setAside().failed]).toEqual([['web failed'], 1]);
  await until(9);
  expect(told).toHaveLength(1);
  writer.setActive(false);
});

it('a refusal is reported at once, and the next attempt is made after a pause that grows to an hour', async () => {
  const { told, put, until, attempts, time, writer } = failing(422);
  await put('1');
  expect([attempts(), told, time.waits]).toEqual([1, ['web refused'], [1000]]);
  await until(2);
  expect(time.waits).toEqual([2000]);
  await until(13);
  expect([time.waits, told.length]).toEqual([[HOUR], 1]);
  writer.setActive(false);
});

it('a change cuts the pause short, and further changes do not put the attempt off', async () => {
  const { put, until, attempts, time, writer } = failing(422);
  await put('1');
  await until(5);
  expect(time.waits).toEqual([16_000]);
  await put('1');
  expect(time.waits).toEqual([16_000]);
  await put('2');
  expect(time.waits).toEqual([1000]);
  await time.pass(600);
  await put('3');
  expect([time.waits, attempts()]).toEqual([[400], 5]);
  await time.pass(400);
  expect(attempts()).toBe(6);
  writer.setActive(false);
});
