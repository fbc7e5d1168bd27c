import { readlink, realpath } from 'node:fs/promises';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { AgentError } from '@x/core';

const MAX_LINKS = 40;

/**
 * The absolute path with every link resolved as far as the path exists, links to missing targets included.
 * @throws AgentError `ELOOP` after 40 links that lead nowhere
 */
export async function resolveLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return walk(path);
  }
}

async function walk(path: string): Promise<string> {
  const { root } = parse(path);
  let reached = root;
  let rest = partsOf(path, root);
  for (let links = 0; rest.length > 0; ) {
    const next = join(reached, rest[0]!);
    const target = await targetOf(next);
    rest = rest.slice(1);
    if (target === undefined) {
      reached = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw new AgentError(`${path} goes through more than ${MAX_LINKS} links`, { code: 'ELOOP' });
    // A target may climb out of what was reached; resolve() takes that apart, and the walk begins again at the root.
    rest = partsOf(join(resolve(dirname(next), target), ...rest), root);
    reached = root;
  }
  return reached;
}

function partsOf(path: string, root: string): string[] {
  return path
    .slice(root.length)
    .split(sep)
    .filter((part) => part !== '');
}

async function targetOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EINVAL' || code === 'ENOENT') return undefined;
    throw error;
  }
}
