import { checkKeys } from '@x/core';
import type { ContractCase } from '@x/core/testing';
import type { ModelContractOptions } from './contract/contract-options.ts';
import { cutCases } from './contract/cut-cases.ts';
import { endingCases } from './contract/ending-cases.ts';
import { failureCases } from './contract/failure-cases.ts';
import { loadCases } from './contract/load-cases.ts';
import { replyCases } from './contract/reply-cases.ts';
import { requestCases } from './contract/request-cases.ts';
import { splitCases } from './contract/split-cases.ts';

const KNOWN: readonly (keyof ModelContractOptions)[] = [
  'open',
  'streams',
  'contextOverflow',
  'cutsPerStream',
  'patienceMs',
];

/**
 * What every `Model` over HTTP promises, as cases for any test runner: `it.each(modelContract(options))('$name', ({ run }) => run())`.
 * Each case opens a server and a model of its own and closes the server; `run` rejects when the promise is broken. Cases may run
 * at the same time.
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
