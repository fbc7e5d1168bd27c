export type { SessionWork } from './engine/run-engine.ts';
export type { LiveChannel } from './log/live-channel.ts';
export type {
  Backlog,
  BackupSettings,
  CompactedStore,
  EntryRange,
  ExpectedHead,
  HeldSession,
  ImmediateReads,
  InboxItem,
  Lease,
  SessionCommand,
  SessionQuery,
  Snapshot,
  StoreUpkeep,
} from './log/session-store.ts';
