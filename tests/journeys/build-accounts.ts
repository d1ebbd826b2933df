import { buildPages } from "../../tools/up/build-pages.ts";

/** Builds the accounts pages once before any browser test, so that files running side by side do not build at once. */
export async function setup(): Promise<void> {
	await buildPages("apps/accounts", AbortSignal.timeout(180_000));
}
