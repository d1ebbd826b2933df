import { buildPages } from "../../tools/up/build-pages.ts";

/** Builds the pages once before any browser test, so that files running side by side do not build at once. */
export async function setup(): Promise<void> {
	for (const folder of ["apps/accounts", "apps/console"])
		await buildPages(folder, AbortSignal.timeout(180_000));
}
