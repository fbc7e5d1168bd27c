import { readlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AgentError } from '@x/core';
import { codeOf } from './file-doors.ts';
import { placeOfExisting } from './held-place.ts';
import { type BytePath, systemPath, textOfPath } from './path-bytes.ts';

const MAX_LINKS = 40;

/**
 * The place that an absolute path leads to, links to missing targets included, named as the system names it.
 * @throws AgentError `ELOOP` after 40 links that lead nowhere; else errors of the system
 */
export function placeOf(path: BytePath, links = 0): BytePath {
  const place = placeOfExisting(path);
  if (place !== undefined) return place;
  const around = placeOf(dirname(path), links);
  const target = targetOf(path);
  if (target === undefined) return join(around, basename(path));
  if (links === MAX_LINKS) {
    throw new AgentError(`${textOfPath(path)} goes through more than ${MAX_LINKS} links`, { code: 'ELOOP' });
  }
  return placeOf(resolve(around, target), links + 1);
}

/** The place of the name itself: the links around it are followed, its own is not. */
export function ownPlaceOf(path: BytePath): BytePath {
  return path === '/' ? path : join(placeOf(dirname(path)), basename(path));
}

function targetOf(path: BytePath): BytePath | undefined {
  try {
    return readlinkSync(systemPath(path), { encoding: 'buffer' }).toString('latin1');
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EINVAL' || code === 'ENOENT') return undefined;
    throw error;
  }
}
