export * from '@x/models/service-files';
