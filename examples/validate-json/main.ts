import { jsonSchema } from '@x/json-schema';

const order = jsonSchema({
  $defs: { item: { type: 'string', pattern: '^[a-z-]+$' } },
  type: 'object',
  properties: {
    items: { type: 'array', items: { $ref: '#/$defs/item' }, minItems: 1 },
    urgent: { type: 'boolean', default: false },
  },
  required: ['items'],
  unevaluatedProperties: false,
});

console.log('fits:', order.parse({ items: ['desk-lamp'] }));
for (const { path, message } of order.check({ items: ['Lamp', 'desk'], urgnt: true }).issues ?? []) {
  console.log(`${path}: ${message}`);
}

try {
  jsonSchema({ type: 'object', properties: { name: { type: 'string', minlength: 1 } } });
} catch (error) {
  console.log('refused:', error instanceof Error ? error.message : error);
}

const ofOthers = jsonSchema({ type: 'string', minlength: 1, format: 'colour' }, { foreign: true });
console.log('notes:', ofOthers.notes.map(({ path }) => path).join(', '));

const steep = jsonSchema({ type: 'string', pattern: '^(a+)+$' });
console.log('steep pattern:', steep.check(`${'a'.repeat(30_000)}!`).issues?.[0]?.message);
