export * from '@x/http/sessions';
