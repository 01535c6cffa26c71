import { describe, expect, it } from 'vitest';
import { CHART } from '../../scripts/chart/chart-files.ts';
import { isWithoutHelm, one, render, renderText, type Rendering } from './helm.ts';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** The images of the Deployment and of the test's Pod, which are the same. */
function imageOf(rendering: Rendering): string {
  const manifests = render(rendering);
  const deployment = one<{ spec: { template: { spec: { containers: { image: string }[] } } } }>(
    manifests,
    'Deployment',
  );
  const test = one<{ spec: { containers: { image: string }[] } }>(manifests, 'Pod');
  const image = deployment.spec.template.spec.containers[0]?.image ?? '';
  expect(test.spec.containers[0]?.image).toBe(image);
  return image;
}

describe.skipIf(isWithoutHelm('image.tools.test.ts'))('the image', () => {
  it('has no default: the chart stops with the lines to write', () => {
    expect(() => renderText({ image: null })).toThrow(
      /image\.repository is not set, and the chart has no default image\. docs\/install\.md shows three ways to an image\. Then add one of these lines to the command:\n\n {2}--set image\.repository=localhost\/probewright --set image\.tag=0\.1\.0\n {2}--set image\.repository=REGISTRY\/probewright --set image\.tag=0\.1\.0\n {2}--set image\.repository=REGISTRY\/probewright --set image\.digest=sha256:DIGEST/,
    );
    expect(() => renderText({ image: null, values: [`${CHART}/values.enforced.yaml`] })).toThrow(/image\.repository/);
  });

  it('has the version of the chart, another tag, or a digest that decides', () => {
    expect(imageOf({})).toBe('registry.example/probewright:0.1.0');
    expect(imageOf({ set: ['image.tag=dev'] })).toBe('registry.example/probewright:dev');
    expect(imageOf({ set: [`image.digest=${digest}`] })).toBe(`registry.example/probewright:0.1.0@${digest}`);
  });

  it.each([
    ['registry.example/team/probewright', 'mirror.example:5000/team/probewright'],
    ['registry:5000/probewright', 'mirror.example:5000/probewright'],
    ['localhost/probewright', 'mirror.example:5000/probewright'],
    ['team/probewright', 'mirror.example:5000/team/probewright'],
    ['probewright', 'mirror.example:5000/probewright'],
  ])('%s comes from the registry that a parent chart names', (image, mirrored) => {
    expect(imageOf({ image, set: ['global.imageRegistry=mirror.example:5000'] })).toBe(`${mirrored}:0.1.0`);
    expect(imageOf({ image, set: ['global.imageRegistry=mirror.example:5000/'] })).toBe(`${mirrored}:0.1.0`);
  });

  it('does not mind what else a parent chart shares', () => {
    expect(() => render({ overrides: { global: { storageClass: 'fast' } } })).not.toThrow();
  });
});
