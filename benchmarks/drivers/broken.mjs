// @peer raw-fetch
// @deps {"eventsource-parser":"4.1.3"}
// @hidden only check.mjs uses it
// The floors with a fault built in. check.mjs proves with it that work that is not done is noticed.

import { createSession as chat } from './raw-fetch.mjs';
import { createSession as anthropic } from './raw-fetch-anthropic.mjs';
import { createSession as gemini } from './raw-fetch-gemini.mjs';
import { createSession as responses } from './raw-fetch-responses.mjs';

const FLOORS = { chat, responses, anthropic, gemini };

export function createSession(options) {
  const faulty = FAULTS[options.fault];
  if (!faulty) throw new Error(`broken.mjs knows no fault named ${options.fault}`);
  return faulty(options);
}

const FAULTS = {
  none: createFloorSession,

  'lost delta': (options) => filterDeltas(options, (delta, index) => (index === 2 ? '' : delta)),

  'repeated delta': (options) => filterDeltas(options, (delta, index) => (index === 2 ? delta + delta : delta)),

  'changed text': (options) => filterDeltas(options, (delta) => delta.toUpperCase()),

  'call made twice': (options) =>
    withExecute(options, async (text) => {
      await options.tool.execute(text);
      return options.tool.execute(text);
    }),

  'call not made': (options) => withExecute(options, async (text) => text),

  'wrong argument': (options) => withExecute(options, (text) => options.tool.execute(text.slice(1))),

  'result not sent back': (options) =>
    withExecute(options, async (text) => {
      await options.tool.execute(text);
      return 'done';
    }),

  'signature not sent back': (options) => {
    dropSignatures();
    return createFloorSession(options);
  },
};

function createFloorSession(options) {
  return FLOORS[options.format ?? 'chat'](options);
}

function filterDeltas(options, change) {
  const session = createFloorSession(options);
  return {
    async prompt(text, onDelta) {
      let index = 0;
      await session.prompt(text, (delta) => onDelta(change(delta, index++)));
    },
  };
}

function withExecute(options, execute) {
  return createFloorSession({ ...options, tool: { ...options.tool, execute } });
}

/** The floor keeps parts as they are, so they lose their signature as they are read. The process does nothing else. */
function dropSignatures() {
  const parse = JSON.parse;
  JSON.parse = (text) => parse(text, (key, value) => (key === 'thoughtSignature' ? undefined : value));
}
