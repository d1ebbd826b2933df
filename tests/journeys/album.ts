import { basename, join, resolve } from "node:path";
import type { BrowserContext } from "playwright-core";

/** Pictures of the pages of failed journeys. Each run empties the folder, and git ignores it. */
export const album = resolve(import.meta.dirname, "../../.lango/journeys");
let taken = 0;

/** The test that runs, as Vitest's `expect.getState()` returns it. */
type Running = { testPath?: string | undefined; currentTestName?: string | undefined };

/** Takes a picture of every open page of a window, named after the failed test. */
export async function keepPictures(
	window: BrowserContext,
	{ testPath = "", currentTestName = "" }: Running,
): Promise<void> {
	const name = currentTestName.replaceAll(/[^a-z0-9]+/gi, "-").slice(0, 120);
	for (const page of window.pages()) {
		taken += 1;
		const number = String(taken).padStart(3, "0");
		const path = join(album, basename(testPath, ".browser.test.ts"), `${number}-${name}.png`);
		// A closed or blocked page has no picture; the error of the test is what matters.
		await page.screenshot({ path, timeout: 3_000 }).catch(() => undefined);
	}
}
