import type { ServiceToolStep } from '@x/core/internal';
import { writtenFiles } from '../wire/service-steps.ts';
import { type Fields, partsOf, recordsOf } from './carried-item.ts';

/** The files that a call of the code interpreter has written: texts cite them, by their container, whose last call they are told with. */
export function filesOf(call: Fields, items: readonly Fields[]): Pick<ServiceToolStep, 'files'> {
  const { type, container_id: container } = call;
  if (type !== 'code_interpreter_call' || typeof container !== 'string' || call !== lastIn(container, items)) return {};
  const citations = items
    .flatMap((item) => partsOf(item, 'content'))
    .flatMap((part) => recordsOf(part['annotations']))
    .filter((one) => one['type'] === 'container_file_citation' && one['container_id'] === container);
  return writtenFiles(citations, ({ file_id: id }) =>
    typeof id === 'string' && id !== '' ? `${container}/${id}` : undefined,
  );
}

function lastIn(container: string, items: readonly Fields[]): Fields | undefined {
  return items.findLast((item) => item['type'] === 'code_interpreter_call' && item['container_id'] === container);
}
