import { expect, it } from 'vitest';
import { StandalonePods } from '../../../src/observer/scan/standalone-pods.ts';

it('the Pods without a controller tell their namespaces, each once', () => {
  const pods = new StandalonePods([
    ['1', 'shop'],
    ['2', 'blog'],
    ['3', 'shop'],
  ]);
  expect(pods.namespaces).toEqual(['shop', 'blog']);
  pods.delete('2');
  expect(pods.namespaces).toEqual(['shop']);
});

it('the Pods without a controller that a whole list does not show are gone', () => {
  const pods = new StandalonePods();
  pods.set('1', 'shop').set('2', 'blog').set('3', 'docs');
  expect(pods.isListed).toBe(false);
  pods.listed(new Set(['2', '7']));
  expect([[...pods], pods.isListed]).toEqual([[['2', 'blog']], true]);
});
