// The inspector's command line reads the version of the package around it, which is not there when it is installed by itself.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === '../../package.json' ? '../package.json' : specifier, context),
});
