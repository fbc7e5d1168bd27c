import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SandboxPolicy } from '../driver/driver.ts';
import { linkedOut } from './linked-out.ts';

let [place, root, outside] = ['', '', ''];
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'linked-')));
  [root, outside] = [join(place, 'root'), join(place, 'outside')];
  for (const name of ['root/inner', 'outside/sub', 'shown', 'hidden'])
    mkdirSync(join(place, name), { recursive: true });
  writeFileSync(join(outside, 'sub/file'), '');
});
afterEach(() => rmSync(place, { recursive: true }));

const policy = (): SandboxPolicy => ({
  root,
  files: { write: [], readOnly: [], read: [join(place, 'shown')], hidden: [join(place, 'hidden')] },
  network: { mode: 'none', allowedDomains: [], deniedDomains: [], unixSockets: 'none', localBinding: false },
  limits: {},
});
const out = (name: string, to: string, since: number) =>
  linkedOut([{ spelled: join(root, name), resolved: join(place, to) }], policy(), since);

describe('linkedOut', () => {
  it('gives the places that old links lead to, whole and below', () => {
    symlinkSync(outside, join(root, 'link'));
    symlinkSync('../outside/sub', join(root, 'inner/up'));
    symlinkSync('inner', join(root, 'chain'));
    const now = Date.now() + 1;

    expect(out('link', 'outside', now)).toEqual([outside]);
    expect(out('link/sub/file', 'outside/sub/file', now)).toEqual([join(outside, 'sub/file')]);
    expect(out('chain/up', 'outside/sub', now)).toEqual([join(outside, 'sub')]);
  });

  it('gives no place that a younger link on the way leads to', async () => {
    symlinkSync('inner/next', join(root, 'old'));
    await sleep(30);
    const since = Date.now();
    await sleep(30);
    symlinkSync(outside, join(root, 'inner/next'));
    symlinkSync(outside, join(root, 'young'));

    expect(out('young', 'outside', since)).toEqual([]);
    expect(out('old', 'outside', since)).toEqual([]);
    expect(out('old', 'outside', Date.now() + 1)).toEqual([outside]);
  });

  it('gives none that can be read anyhow, is hidden, or is not spelled inside; and ends at a circle', () => {
    symlinkSync(outside, join(root, 'link'));
    symlinkSync('circle', join(root, 'circle'));
    const now = Date.now() + 1;

    expect(out('link', 'shown/x', now)).toEqual([]);
    expect(out('link', 'root/x', now)).toEqual([]);
    expect(out('link', 'hidden/key', now)).toEqual([]);
    expect(linkedOut([{ spelled: outside, resolved: outside }], policy(), now)).toEqual([]);
    expect(out('circle/x', 'outside/x', now)).toEqual([]);
  });
});
