import { resolve } from "node:path";
import { type RunningPages, startPages } from "@lango/pages";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { keepPictures } from "./album.ts";
import { openWindow, type Visit } from "./browser.ts";
import { type Answer, type FakeSignOn, type Received, signedIn, startFakeSignOn } from "./fake-sign-on.ts";
import { sharedBrowser } from "./shared-platform.ts";

/** The built accounts pages; build-pages.ts has built them before any browser test runs. */
export const accountsFolder = resolve(import.meta.dirname, "../../apps/accounts/dist");

export type SignInPages = {
	signOn: FakeSignOn;
	pages: RunningPages;
	/**
	 * Opens a page in a window of its own and runs a visit; fails when the page threw or broke its own policy.
	 */
	visit: (path: string, look: (page: Page) => Promise<void>, window?: Visit) => Promise<void>;
	/** The sign-in requests since the last call. */
	takeLogins: () => Received[];
	close: () => Promise<void>;
};

/** The accounts pages with a fake of the sign-on service, and a browser. */
export async function openSignInPages(): Promise<SignInPages> {
	const signOn = await startFakeSignOn();
	const settings = { authUrl: signOn.url, subscriptionsUrl: signOn.url };
	const pages = await startPages({
		name: "accounts",
		folder: accountsFolder,
		port: 0,
		settings,
		connect: [signOn.url],
	});
	signOn.allow(pages.url);
	const browser = await sharedBrowser();
	return {
		signOn,
		pages,
		visit: async (path, look, window = {}) => {
			signOn.login(signedIn);
			signOn.takeReceived();
			const context = await openWindow(browser, window);
			const faults: string[] = [];
			try {
				const page = await context.newPage();
				page.on("pageerror", (error) => faults.push(error.message));
				page.on("console", (message) => {
					if (message.text().includes("Content Security Policy")) faults.push(message.text());
				});
				await page.goto(pages.url + path);
				await look(page);
				expect(faults).toEqual([]);
			} catch (error) {
				await keepPictures(context, expect.getState());
				throw error;
			} finally {
				await context.close();
			}
		},
		takeLogins: () => signOn.takeReceived().filter(({ path }) => path === "/api/v1/auth/login"),
		close: async () => {
			await pages.close();
			await signOn.close();
		},
	};
}

export const email = (page: Page): Locator => page.getByLabel("E-mail address");
export const password = (page: Page): Locator => page.getByLabel("Password", { exact: true });
export const submit = (page: Page): Locator => page.getByRole("button", { name: "Sign in", exact: true });

/** The id, or the words, of what has the focus. */
export async function focused(page: Page): Promise<string> {
	return String(
		await page.evaluate(
			"document.activeElement.id || document.activeElement.name || document.activeElement.textContent",
		),
	);
}

/** Fills in the sign-in form and sends it. */
export async function enter(page: Page, word = "Karibu-2026!"): Promise<void> {
	await email(page).fill("admin@uhai.example");
	await password(page).fill(word);
	await submit(page).click();
}

/** A refusal in the platform's form. */
export function refused(status: number, body: object, headers: Record<string, string> = {}): Answer {
	return { status, headers, body: { error: "…", request_id: "r-1234", ...body } };
}
