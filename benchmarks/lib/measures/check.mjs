import { assertWork, expectedToolTurns, expectedWork } from '../expected-work.mjs';

const MODELS = ['tools-3', 'parallel-4', 'text-50'];

/**
 * Does the driver do the work? Every call made once and with its argument, every call and every result sent back to
 * the model with the signature that came with it, no text lost, repeated or out of order.
 */
export async function check(bench, { origin }) {
  let deltas = 0;
  for (const model of MODELS) deltas += await checkModel(bench, { model, origin });
  return { ok: true, deltas };
}

async function checkModel(bench, { model, origin }) {
  const callsBefore = bench.tool.calls;
  const session = await bench.open(model);
  const deltas = [];
  await session.prompt('Start.', (delta) => deltas.push(delta));
  const text = deltas.join('');
  assertWork(model, { calls: bench.tool.calls - callsBefore, characters: text.length });
  if (text !== expectedWork(model).text) throw new Error(`${model}: the text is not the one that was sent`);
  await checkLastRequest({ model, origin });
  await session.close?.();
  return deltas.length;
}

async function checkLastRequest({ model, origin }) {
  const { calls } = expectedWork(model);
  const stats = await (await fetch(`${origin}/__stats`)).json();
  const { payloadsInLastBody, signaturesInLastBody, lastFormat } = stats;
  if (payloadsInLastBody !== 2 * calls) {
    throw new Error(`${model}: the last request held ${payloadsInLastBody} calls and results instead of ${2 * calls}`);
  }
  const signatures = lastFormat === 'gemini' ? expectedToolTurns(model) : 0;
  if (signaturesInLastBody < signatures) {
    throw new Error(`${model}: the last request held ${signaturesInLastBody} signatures instead of ${signatures}`);
  }
}
