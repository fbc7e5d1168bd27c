export * from '@x/session/bullmq';
