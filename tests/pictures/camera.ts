import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { openWindow, type startBrowser } from "../journeys/browser.ts";

/** Where the pictures are put; git does not know the folder. */
export const picturesFolder = resolve(import.meta.dirname, "../../.lango/pictures");

/** A phone, a tablet held upright, and a desk. */
export const windows = [
	{ width: 390, height: 844, touch: true },
	{ width: 820, height: 1180 },
	{ width: 1440, height: 900 },
] as const;
type Window = (typeof windows)[number];
type Browser = Awaited<ReturnType<typeof startBrowser>>;

export type Camera = {
	page: Page;
	width: number;
	/** Opens an address, waits until it is settled, and takes it light and dark. */
	take: (name: string, address: string) => Promise<void>;
	/** Takes the page as it is. */
	shoot: (name: string) => Promise<void>;
	close: () => Promise<void>;
};

/** A browser window of one size; `album` is the folder its pictures are put into. */
export async function openCamera(browser: Browser, album: string, window: Window): Promise<Camera> {
	const context: BrowserContext = await openWindow(browser, { ...window, reducedMotion: "reduce" });
	const page = await context.newPage();
	const { width } = window;
	const shoot = async (name: string) => {
		await settle(page);
		// What is over a page covers the window, not all of the page.
		const fullPage = (await page.getByRole("dialog").count()) === 0;
		for (const colorScheme of ["light", "dark"] as const) {
			await page.emulateMedia({ colorScheme });
			const path = join(picturesFolder, album, `${name}-${width}-${colorScheme}.png`);
			mkdirSync(dirname(path), { recursive: true });
			await page.screenshot({ path, fullPage });
		}
	};
	return {
		page,
		width,
		shoot,
		take: async (name, address) => {
			await page.goto(address);
			await shoot(name);
		},
		close: () => context.close(),
	};
}

/** Waits until the heading is shown, nothing is loading, and fonts and images are loaded. */
async function settle(page: Page): Promise<void> {
	await page.getByRole("heading", { level: 1 }).first().waitFor();
	await page.getByText("Loading…").first().waitFor({ state: "detached" });
	await page.waitForLoadState("networkidle");
	await page.evaluate("document.fonts.ready");
}
