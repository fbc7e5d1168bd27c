import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './paths.mjs';

/** The driver that all ratios refer to. It is always measured. */
export const FLOOR = 'raw-fetch';
export const OURS = ['x-memory', 'x-durable'];
export const DEFAULT_DRIVERS = [FLOOR, 'openai-sdk', ...OURS, 'pi', 'ai-sdk', 'openai-agents'];

/**
 * @typedef {object} Driver
 * @property {string} name
 * @property {string} file its name in `drivers/`
 * @property {string} peer the folder it is installed into; drivers may share one
 * @property {Record<string, string>} dependencies exact versions
 * @property {string} [before] npm's `--before`
 * @property {string} [workspace] the package of this repository that it drives, instead of an installed peer
 * @property {boolean} hidden not in `all`
 * @property {Record<string, object>} limits options by measure, where the usual numbers are too large
 * @property {Record<string, string>} known measures that fail through a fault of the peer, with the reason
 */

/**
 * @param {readonly string[]} names `all` stands for every driver that is not hidden
 * @returns {Driver[]} in the order asked for, without repetition
 */
export function findDrivers(names) {
  const catalog = new Map(readDrivers().map((driver) => [driver.name, driver]));
  const visible = [...catalog.values()].filter(({ hidden }) => !hidden).map(({ name }) => name);
  const wanted = names.flatMap((name) => (name === 'all' ? [...DEFAULT_DRIVERS, ...visible] : [name]));
  return [...new Set(wanted)].map((name) => {
    const driver = catalog.get(name);
    if (!driver) throw new Error(`There is no driver ${name}; there are ${visible.join(', ')}`);
    return driver;
  });
}

function readDrivers() {
  const files = readdirSync(join(ROOT, 'drivers')).filter((file) => file.endsWith('.mjs'));
  return files.sort().map((file) => readDriver(file));
}

/** The header says what to install: lines of the form `// @key value`, explained in the README. */
function readDriver(file) {
  const source = readFileSync(join(ROOT, 'drivers', file), 'utf8');
  const header = (key) => new RegExp(`^// @${key} (.*)$`, 'm').exec(source)?.[1]?.trim();
  const json = (key) => JSON.parse(header(key) ?? '{}');
  const name = basename(file, '.mjs');
  return {
    name,
    file,
    peer: header('peer') ?? name,
    dependencies: json('deps'),
    before: header('before')?.split(' ')[0],
    workspace: header('workspace'),
    hidden: header('hidden') !== undefined,
    limits: json('limits'),
    known: json('known'),
  };
}
