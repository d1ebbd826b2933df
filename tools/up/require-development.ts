import { type Environment, isDevelopment } from "@lango/chassis";

/**
 * Throws an Error unless the environment is a developer's: NODE_ENV is `development`, `test` or unset, which
 * these commands then set themselves. They make demo tenants with a known password, and secrets in a file.
 */
export function requireDevelopment({ NODE_ENV }: Environment): void {
	if (!NODE_ENV || isDevelopment(NODE_ENV)) return;
	throw new Error(
		`npm start is for development: it makes demo tenants with a known password, so it does not run under NODE_ENV=${NODE_ENV}.\nRun each service by itself: node services/<name>/src/main.ts`,
	);
}
