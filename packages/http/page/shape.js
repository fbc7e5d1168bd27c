/** A JSON Schema as a short text in the manner of a type; schemas that have a name are named. */
export function shapeOf(schema = {}, indent = '') {
  if (schema.$ref) return nameOf(schema.$ref);
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map((one) => shapeOf(one, indent)).join(' | ');
  if (schema.type === 'array') return schema.items ? `${shapeOf(schema.items, indent)}[]` : 'any[]';
  if (schema.type === 'object') return objectShape(schema, indent);
  const limits = ['minimum', 'maximum', 'maxLength', 'pattern', 'format', 'default']
    .filter((name) => Object.hasOwn(schema, name))
    .map((name) => `${name} ${schema[name]}`);
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'any');
  return limits.length > 0 ? `${type} (${limits.join(', ')})` : type;
}

function objectShape({ properties, required = [], additionalProperties }, indent) {
  if (!properties)
    return typeof additionalProperties === 'object' ? `{ [name]: ${shapeOf(additionalProperties)} }` : 'object';
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const note = schema.description ? `  // ${schema.description}` : '';
    return `${inner}${name}${required.includes(name) ? '' : '?'}: ${shapeOf(schema, inner)}${note}`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** Names of the schemas that a schema refers to. */
export function refsIn(schema) {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = typeof schema.$ref === 'string' ? [nameOf(schema.$ref)] : [];
  return [...own, ...Object.values(schema).flatMap(refsIn)];
}

function nameOf(ref) {
  return ref.split('/').at(-1);
}
