import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from './paths.mjs';

/** What drivers that name no other are compared with. */
export const DEFAULT_FLOOR = 'raw-fetch';

/**
 * The formats that drivers speak. Ratios refer to the floor of the same format, which is always measured with them.
 * @type {Record<string, { title: string, floor: string, client: string, ours: string[], others: string[] }>}
 */
export const FORMATS = {
  chat: {
    title: 'OpenAI Chat Completions',
    floor: DEFAULT_FLOOR,
    client: 'openai-sdk',
    ours: ['x-memory', 'x-durable'],
    others: ['pi', 'ai-sdk', 'openai-agents'],
  },
  responses: ofFormat('responses', { title: 'OpenAI Responses', client: 'openai-sdk-responses' }),
  anthropic: ofFormat('anthropic', { title: 'Anthropic Messages', client: 'anthropic-sdk' }),
  gemini: ofFormat('gemini', { title: 'Gemini', client: 'genai-sdk' }),
};

function ofFormat(format, { title, client }) {
  const ours = [`x-memory-${format}`, `x-durable-${format}`];
  return { title, floor: `raw-fetch-${format}`, client, ours, others: [] };
}

/** The drivers of a format that are measured unless others are named. */
export function defaultDrivers(format, { quick = false } = {}) {
  const { floor, client, ours, others } = FORMATS[format];
  return quick ? [floor, ...ours] : [floor, client, ...ours, ...others];
}

/** @throws when there is no such format */
export function findFormats(names) {
  if (names.includes('all')) return Object.keys(FORMATS);
  for (const name of names) {
    if (!Object.hasOwn(FORMATS, name)) {
      throw new Error(`There is no format ${name}; there are ${Object.keys(FORMATS).join(', ')}`);
    }
  }
  return names;
}

/**
 * @typedef {object} Driver
 * @property {string} name
 * @property {string} file its name in `drivers/`
 * @property {string} peer the folder it is installed into; drivers may share one
 * @property {Record<string, string>} dependencies exact versions
 * @property {string} floor the driver that it is compared with
 * @property {string} [before] npm's `--before`
 * @property {string} [workspace] the package of this repository that it drives, instead of an installed peer
 * @property {boolean} hidden not in `all`
 * @property {Record<string, object>} limits options by measure, where the usual numbers are too large
 * @property {Record<string, string>} known measures that fail through a fault of the peer, with the reason
 */

/**
 * @param {readonly string[]} names `all` stands for every driver of `formats` that is not hidden
 * @param {readonly string[]} [formats] all of them unless given
 * @returns {Driver[]} floor by floor, each floor before what is compared with it, without repetition
 */
export function findDrivers(names, formats = Object.keys(FORMATS)) {
  const catalog = new Map(readDrivers().map((driver) => [driver.name, driver]));
  const visible = [...catalog.values()].filter(({ hidden }) => !hidden);
  const wanted = names.flatMap((name) => (name === 'all' ? everyDriver(visible, formats) : [name]));
  const found = [...new Set(wanted)].map((name) => {
    const driver = catalog.get(name);
    if (!driver)
      throw new Error(`There is no driver ${name}; there are ${visible.map((each) => each.name).join(', ')}`);
    return driver;
  });
  const floors = [...new Set(found.map(({ floor }) => floor))];
  return floors.flatMap((floor) => [
    catalog.get(floor),
    ...found.filter((driver) => driver.floor === floor && driver.name !== floor),
  ]);
}

/** Those of the default first, in its order. */
function everyDriver(visible, formats) {
  return formats.flatMap((format) => {
    const ofFloor = visible.filter(({ floor }) => floor === FORMATS[format].floor).map(({ name }) => name);
    return [...defaultDrivers(format), ...ofFloor];
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
    floor: header('floor') ?? DEFAULT_FLOOR,
    before: header('before')?.split(' ')[0],
    workspace: header('workspace'),
    hidden: header('hidden') !== undefined,
    limits: json('limits'),
    known: json('known'),
  };
}
