export * from '@x/models/computer';
