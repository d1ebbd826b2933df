import { basename, join, resolve } from "node:path";
import type { BrowserContext } from "playwright-core";

/**
 * How the pages of every journey looked at its end, well or not; begun anew by each run, and not known to
 * git.
 */
export const album = resolve(import.meta.dirname, "../../.lango/journeys");
let taken = 0;

/** The test that runs, as Vitest's `expect.getState()` returns it. */
type Running = { testPath?: string | undefined; currentTestName?: string | undefined };

/** Keeps a picture of every page that is open in a window, under the name of the test that runs. */
export async function keepPictures(
	window: BrowserContext,
	{ testPath = "", currentTestName = "" }: Running,
): Promise<void> {
	const name = currentTestName.replaceAll(/[^a-z0-9]+/gi, "-").slice(0, 120);
	for (const page of window.pages()) {
		taken += 1;
		const number = String(taken).padStart(3, "0");
		const path = join(album, basename(testPath, ".browser.test.ts"), `${number}-${name}.png`);
		// A page that is gone or stuck has no picture; what the test found wrong says more.
		await page.screenshot({ path, timeout: 3_000 }).catch(() => undefined);
	}
}
