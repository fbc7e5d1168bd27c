import { StreamRelay } from './stream-relay.ts';

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
