import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Everything below a directory but for git's own in `.git`: mode and content, or target, by path; names as bytes. */
export function pictureBesideGit(root: string): Record<string, string> {
  const all = Object.entries(picture(root));
  return Object.fromEntries(all.filter(([path]) => path !== '.git' && !path.startsWith('.git/')));
}

/** Everything below a directory: mode and content, or target, by path; names as bytes. */
export function picture(root: string, path = ''): Record<string, string> {
  const found: Record<string, string> = {};
  const at = Buffer.from(`${root}/${path}`, 'latin1');
  for (const name of readdirSync(at, { encoding: 'latin1' })) {
    const below = path === '' ? name : `${path}/${name}`;
    const whole = Buffer.from(`${root}/${below}`, 'latin1');
    const stats = lstatSync(whole);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) found[below] = `-> ${readlinkSync(whole, 'latin1')}`;
    else if (stats.isDirectory()) Object.assign(found, { [below]: `directory ${mode}` }, picture(root, below));
    else found[below] = `${mode} ${readFileSync(whole, 'latin1')}`;
  }
  return found;
}
