import type { ModelOptions } from '@x/core';
import { ownModelOptions } from '@x/core/internal';
import { mapped, ownRecord } from '../host/own-record.ts';
import { checkOptions } from './check-options.ts';
import type { Purpose } from './known-options.ts';
import { ownToolGroups } from './role-access.ts';
import type { SessionOptions } from './types.ts';

const RECORDS: readonly string[] = ['env', 'mcpHandlers', 'metadata', 'prices', 'toolDiscovery'];

/** Copies and checks the host's options: changing its lists and records later has no effect. @throws ValidationError */
export function ownOptions<T extends SessionOptions>(given: T, purpose: Purpose): T {
  const options = mapped(given, (value, key) => {
    if (Array.isArray(value)) return ownList(value);
    if (key === 'modelOptions' && value !== undefined) return ownModelOptions(value as ModelOptions); // checked there
    if (key === 'role') return mapped(value, ownList);
    if (key === 'toolGroups') return ownToolGroups(value);
    if (key === 'mcpServers') return mapped(value, (server) => mapped(server, ownList));
    return RECORDS.includes(key) ? ownRecord(value) : value;
  });
  checkOptions(options, purpose);
  return options;
}

function ownList(value: unknown): unknown {
  return Array.isArray(value) ? [...(value as readonly unknown[])] : value;
}
