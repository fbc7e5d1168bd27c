export * from '@x/handlers/metrics';
