import { StreamRelay } from './stream-relay.ts';

/** The stream itself; what `check` throws for the value it ends with is its error. Costs each step a turn of the microtask queue. */
export function atItsEnd<E, R>(
  stream: AsyncGenerator<E, R, void>,
  check: (value: R) => void,
): AsyncGenerator<E, R, void> {
  const next = stream.next.bind(stream);
  let isChecked = false;
  stream.next = async () => {
    const step = await next();
    if (step.done && !isChecked) {
      isChecked = true;
      check(step.value);
    }
    return step;
  };
  return stream;
}

/** The same stream, whose value is checked when it ends; what `check` throws is the stream's error. */
export function checkedStream<E, R>(
  start: () => AsyncGenerator<E, R, void>,
  check: (value: R) => void,
): AsyncGenerator<E, R, void> {
  let isChecked = false;
  const checked = (step: IteratorResult<E, R>) => {
    if (step.done && !isChecked) {
      isChecked = true;
      check(step.value);
    }
    return step;
  };
  return new StreamRelay(async (relay) => checked(await relay.stream(start).next()));
}
