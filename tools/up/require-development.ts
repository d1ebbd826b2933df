import { type Environment, isDevelopment } from "@lango/chassis";

/**
 * Throws an Error unless NODE_ENV is `development`, `test` or unset; these commands then set it. They create
 * demo tenants with a known password, and store secrets in a file.
 */
export function requireDevelopment({ NODE_ENV }: Environment): void {
	if (!NODE_ENV || isDevelopment(NODE_ENV)) return;
	throw new Error(
		`npm start is for development: it makes demo tenants with a known password, so it does not run under NODE_ENV=${NODE_ENV}.\nRun each service by itself: node services/<name>/src/main.ts`,
	);
}
