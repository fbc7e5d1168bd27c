import { checkKeys } from '@x/core/internal';
import type { ContractCase } from '@x/core/testing';
import type { ModelContractOptions } from './contract-options.ts';
import { cutCases } from './cut-cases.ts';
import { endingCases } from './ending-cases.ts';
import { failureCases } from './failure-cases.ts';
import { loadCases } from './load-cases.ts';
import { replyCases } from './reply-cases.ts';
import { requestCases } from './request-cases.ts';
import { splitCases } from './split-cases.ts';

const KNOWN: readonly (keyof ModelContractOptions)[] = [
  'open',
  'streams',
  'contextOverflow',
  'cutsPerStream',
  'patienceMs',
];

/**
 * The promises of every `Model` over HTTP, as cases for any test runner: `it.each(modelContract(options))('$name', ({ run }) => run())`.
 * Each case opens a server and a model of its own and closes the server; `run` rejects when the promise is broken. Cases may run at the
 * same time.
 */
export function modelContract(options: ModelContractOptions): readonly ContractCase[] {
  checkKeys('The options of modelContract', options, KNOWN);
  return [
    ...replyCases(options),
    ...splitCases(options),
    ...cutCases(options),
    ...failureCases(options),
    ...endingCases(options),
    ...requestCases(options),
    ...loadCases(options),
  ];
}
