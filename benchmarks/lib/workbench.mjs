import { setTimeout as sleep } from 'node:timers/promises';
import { createCpuClock } from './cpu-clock.mjs';
import { assertArgument, assertWork } from './expected-work.mjs';

const MAX_TURNS = 1000;

/**
 * What every measure works with: sessions of one driver, one tool that counts its calls, and a clock.
 * @param {{ driver: any, origin: string, fault?: string, format?: string }} options
 */
export async function createWorkbench({ driver, origin, fault, format }) {
  const tool = createTool();
  const cpuUs = await createCpuClock(driver);

  const open = (model) =>
    driver.createSession({ origin, baseURL: `${origin}/v1`, model, tool, maxTurns: MAX_TURNS, fault, format });

  /** One prompt, its work checked once it is done. With `shared`, other sessions call the tool at the same time. */
  async function ask(session, model, { shared = false } = {}) {
    const callsBefore = tool.calls;
    let characters = 0;
    let deltas = 0;
    await session.prompt('Start.', (delta) => {
      characters += delta.length;
      deltas++;
    });
    assertWork(model, { characters, ...(!shared && { calls: tool.calls - callsBefore }) });
    return { deltas };
  }

  /** Opens a session, asks once, closes it. */
  async function exchange(model, options) {
    const session = await open(model);
    const asked = await ask(session, model, options);
    await session.close?.();
    return asked;
  }

  /** Like `exchange`; the figures are those of the prompt alone. */
  async function timedExchange(model) {
    collectGarbage();
    const session = await open(model);
    const cpuBefore = cpuUs();
    const wallBefore = performance.now();
    const asked = await ask(session, model);
    const timed = { ...asked, wallMs: performance.now() - wallBefore, cpuUs: cpuUs() - cpuBefore };
    await session.close?.();
    return timed;
  }

  async function repeat(times, work) {
    const results = [];
    for (let index = 0; index < times; index++) results.push(await work());
    return results;
  }

  return { tool, cpuUs, open, ask, exchange, timedExchange, repeat, spawnsChild: driver.spawnsChild ?? false };
}

/** Collects until what was freed is really gone, finalisers included. */
export async function settleHeap() {
  for (let pass = 0; pass < 4; pass++) {
    collectGarbage();
    await sleep(20);
  }
}

export function collectGarbage() {
  globalThis.gc?.();
}

function createTool() {
  let inFlight = 0;
  return {
    name: 'echo',
    description: 'Returns the text it is given.',
    /** Counted here; `delayMs` and `onCall` are set by the measures that need them. */
    calls: 0,
    maxInFlight: 0,
    delayMs: 0,
    onCall: undefined,
    async execute(text) {
      assertArgument(text);
      this.calls++;
      this.onCall?.();
      if (this.delayMs > 0) {
        this.maxInFlight = Math.max(this.maxInFlight, ++inFlight);
        await sleep(this.delayMs);
        inFlight--;
      }
      return text;
    },
  };
}
