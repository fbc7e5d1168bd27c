/** The input of the one tool, as JSON Schema. */
export const ECHO_JSON_SCHEMA = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
};
