import { describe, expect, it } from 'vitest';
import { timelineMarkup } from '../../../src/package/playground/timeline-markup.ts';
import { httpProbe } from '../../engine/checks/workload.ts';
import { explainedPod } from '../../explain/explained-workloads.ts';

const workloads = (count: number) => Array.from({ length: count }, () => ({ ...explainedPod([{}]), notInjected: [] }));

describe('the time lines of a page', () => {
  it('say that there is no workload', () =>
    expect(timelineMarkup([])).toBe('<p class=muted>There is no workload in the manifests.</p>'));

  it('are at most 50, and the others are counted', () => {
    const articles = (count: number): number => timelineMarkup(workloads(count)).split('<article>').length - 1;
    expect([articles(1), articles(50), articles(51)]).toEqual([1, 50, 50]);
    expect(timelineMarkup(workloads(50))).not.toContain('without a time line');
    expect(timelineMarkup(workloads(51))).toMatch(/<p class=muted>1 more workload without a time line here\.<\/p>$/);
    expect(timelineMarkup(workloads(52))).toContain('2 more workloads without');
  });

  it('begin with the hatchings that the drawings use', () =>
    expect(timelineMarkup(workloads(1))).toMatch(
      /^<svg class=hatchings aria-hidden=true width=0 height=0><defs><pattern id="unsure".*<\/pattern><\/defs><\/svg><article>/,
    ));
});

describe('a workload', () => {
  const [plain] = workloads(1);
  if (plain === undefined) throw new Error('no workload');

  it('has its name, its containers, and why it got no other probes', () => {
    const markup = timelineMarkup([{ ...plain, name: '<web>', notInjected: ['no <port>', 'none'] }]);
    expect(markup).toContain('<article><h3>Pod <bdi>apps/&lt;web&gt;</bdi></h3><h4><bdi>app</bdi></h4>');
    expect(markup).toMatch(
      /<p>Why policies added no other probes:<\/p><ul><li>no &lt;port&gt;<\/li><li>none<\/li><\/ul><\/article>$/,
    );
    expect(timelineMarkup([plain])).not.toContain('Why policies');
  });

  it('has the headline, the caveats, the probes and the drawings of a container', () => {
    const [container] = explainedPod([{ livenessProbe: httpProbe() }]).containers;
    if (container === undefined) throw new Error('no container');
    const probed = { ...container, name: 'a&b', role: 'sidecar' as const, caveats: ['first <', 'second'] };
    const markup = timelineMarkup([{ ...plain, containers: [probed] }]);
    expect(markup).toContain('<h4><bdi>a&amp;b</bdi> (native sidecar)</h4><p>Guaranteed 20 s to start.');
    expect(markup).toContain(
      '</p><p class=caveat>first &lt;</p><p class=caveat>second</p>' +
        '<ul class=probes><li>livenessProbe: <code>httpGet /live on port http</code>, from the manifest</li></ul><svg class=scene ',
    );
    expect(markup.match(/<svg class=scene role=img aria-label="[^"]*" viewBox="0 0 400 \d+"><g>/g)).toHaveLength(2);
    expect(markup).not.toContain('has no probes');
    expect(timelineMarkup([plain])).toContain('<p class=muted>The container has no probes.</p><svg');
  });
});
