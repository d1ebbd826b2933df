import { rmSync } from "node:fs";
import { buildPages } from "../../tools/up/build-pages.ts";
import { album } from "./album.ts";

/**
 * Builds the pages once before any browser test, so that files running side by side do not build at once;
 * empties their album.
 */
export async function setup(): Promise<void> {
	rmSync(album, { recursive: true, force: true });
	for (const folder of ["apps/accounts", "apps/console"])
		await buildPages(folder, AbortSignal.timeout(180_000));
}
