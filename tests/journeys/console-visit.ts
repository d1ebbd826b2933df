import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import { keepPictures } from "./album.ts";
import { accessibilityFaults, colourRules, openWindow, patience, type Visit } from "./browser.ts";
import { type RunningPlatform, startPlatform } from "./running-platform.ts";
import { sharedBrowser, sharedPlatform } from "./shared-platform.ts";

const password = "Karibu-2026!";

export type SharedConsole = {
	urls: RunningPlatform["urls"];
	/** The administrator's address of the platform's PostgreSQL. */
	databaseUrl: string;
	/** The port of the mail server that imitates a provider. */
	smtpPort: number;
	/**
	 * Opens a page in a window of its own and runs a visit; fails when a page threw or broke its own policy.
	 */
	visit: (look: (page: Page, window: BrowserContext) => Promise<void>, window?: Visit) => Promise<void>;
};

export type ConsoleStand = SharedConsole & { close: () => Promise<void> };

/**
 * The platform as `npm start` runs it, shared with other files, and a browser for its console. For files that
 * leave the demo tenants as they found them, or work in tenants of their own.
 */
export async function openSharedConsole(): Promise<SharedConsole> {
	const [platform, browser] = await Promise.all([sharedPlatform(), sharedBrowser()]);
	return consoleOf(platform, browser);
}

/** The same on a platform of its own, for files that change the demo tenants. */
export async function openConsole(environment: Record<string, string> = {}): Promise<ConsoleStand> {
	const [platform, browser] = await Promise.all([startPlatform(environment), sharedBrowser()]);
	return { ...consoleOf(platform, browser), close: platform.stop };
}

/** The platform of each console that was opened, by the console's address. */
const platforms = new Map<string, RunningPlatform["urls"]>();

function consoleOf({ urls, databaseUrl, smtpPort }: RunningPlatform, browser: Browser): SharedConsole {
	platforms.set(new URL(urls.console).origin, urls);
	return { urls, databaseUrl, smtpPort, visit: (look, options = {}) => visitWith(browser, look, options) };
}

async function visitWith(
	browser: Browser,
	look: (page: Page, window: BrowserContext) => Promise<void>,
	options: Visit,
): Promise<void> {
	const window = await openWindow(browser, options);
	const faults: string[] = [];
	try {
		window.on("weberror", (error) => faults.push(error.error().message));
		window.on("console", (message) => {
			if (message.text().includes("Content Security Policy")) faults.push(message.text());
		});
		await look(await window.newPage(), window);
		expect(faults).toEqual([]);
	} catch (error) {
		await keepPictures(window, expect.getState());
		throw error;
	} finally {
		await window.close();
	}
}

/** Collects what the pages of a window log as errors, each with the address that it is about. */
export function watchErrors(window: BrowserContext): string[] {
	const errors: string[] = [];
	window.on("console", (message) => {
		if (message.type() === "error") errors.push(`${message.text()} ${message.location().url}`);
	});
	return errors;
}

/** Fills in the sign-in form, once it is there. */
export async function signIn(page: Page, email: string): Promise<void> {
	await page.getByLabel("E-mail address").fill(email);
	await page.getByLabel("Password", { exact: true }).fill(password);
	await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

export const heading = (page: Page, name: string | RegExp) =>
	page.getByRole("heading", { level: 1, name, exact: true });

/**
 * Opens the overview of an organisation as a person who is signed in already, which takes less processor time
 * than the sign-in pages. Where an outlet is asked for, the person signs in by the pages and works there.
 */
export async function enter(
	page: Page,
	at: string,
	{ email, outlet }: { email: string; outlet?: string },
): Promise<void> {
	if (outlet === undefined) await signInByCookie(page, at, email);
	await page.goto(at);
	if (outlet !== undefined) {
		await signIn(page, email);
		await page.getByRole("button", { name: outlet }).click();
	}
	await heading(page, "Overview").waitFor();
}

/** Gives the window the cookie of a new session. Throws when the sign-on service refuses it. */
async function signInByCookie(page: Page, at: string, email: string): Promise<void> {
	const { origin, pathname } = new URL(at);
	const urls = platforms.get(origin);
	if (urls === undefined) throw new Error(`no console was opened at ${origin}`);
	const answer = await page.context().request.post(`${urls.auth}/api/v1/auth/login`, {
		headers: { origin: new URL(urls.accounts).origin },
		data: { email, password, tenant_slug: pathname.split("/")[1] },
	});
	if (!answer.ok()) throw new Error(`${email} could not sign in: ${await answer.text()}`);
}

/** Switches to another outlet by the menu in the bar. */
export async function switchOutlet(page: Page, name: string): Promise<void> {
	await page.getByRole("button", { name: /^Change outlet: / }).click();
	await page.getByRole("option", { name }).click();
	await page.getByRole("button", { name: `Change outlet: ${name}` }).waitFor();
}

/**
 * Opens a path of the console as a link does: the console is not loaded again, which takes most of the
 * processor time of a visit. Returns when the page of the path is rendered.
 */
export async function openPath(page: Page, path: string): Promise<void> {
	// The router of the pages makes itself known to its developer tools by this name.
	await page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(path)})`);
	const opened = () =>
		page.evaluate("__TSR_ROUTER__.state.isLoading || __TSR_ROUTER__.state.resolvedLocation?.publicHref");
	await expect.poll(opened, { ...patience, interval: 20 }).toBe(path);
}

/**
 * Returns what axe finds on a page, and whether it is too wide for the window. Waits until no list is being
 * refreshed, because a list is dimmed meanwhile. A form that is being sent may stay busy.
 */
export async function faultsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
	await page.locator('[aria-busy="true"]:not(form)').first().waitFor({ state: "hidden" });
	const beyond = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
	const found = await accessibilityFaults(page, rules);
	return [...found, ...(beyond > 0 ? [`${beyond} px too wide`] : [])];
}

/**
 * The same in the light and in the dark theme, once nothing is loading. The themes differ in their colours
 * only, so the dark one is checked by the rules about colours.
 */
export async function faultsInThemes(page: Page): Promise<string[]> {
	await expect.poll(() => page.getByText("Loading…").count(), patience).toBe(0);
	await page.emulateMedia({ colorScheme: "light" });
	const light = await faultsOf(page);
	await page.emulateMedia({ colorScheme: "dark" });
	const dark = await faultsOf(page, colourRules);
	return [...light.map((fault) => `light: ${fault}`), ...dark.map((fault) => `dark: ${fault}`)];
}

/** The rule of axe-core whose result depends on the width. */
const widthRules = ["scrollable-region-focusable"];

/** Whether a dialog is open that does not fill the screen of a phone. The navigation never fills it. */
const leavesRoom = `innerWidth < 640 && [...document.querySelectorAll("dialog:modal:not(.drawer)")].some((dialog) => {
	const { x, y, width, height } = dialog.getBoundingClientRect();
	return x !== 0 || y !== 0 || width !== innerWidth || height !== innerHeight;
})`;

/**
 * What is too wide for a window of some widths, or cannot be scrolled there without a mouse, and dialogs that
 * do not fill the screen of a phone.
 */
export async function faultsAtWidths(page: Page, widths: readonly number[]): Promise<string[]> {
	const { height = 800, width: before = 1280 } = page.viewportSize() ?? {};
	const found: string[] = [];
	for (const width of widths) {
		await page.setViewportSize({ width, height });
		const faults = await faultsOf(page, widthRules);
		if (await page.evaluate(leavesRoom)) faults.push("a dialog does not fill the screen");
		found.push(...faults.map((fault) => `${width} px: ${fault}`));
	}
	await page.setViewportSize({ width: before, height });
	return found;
}

/** Fails when axe finds something on a page, light or dark, or when it does not fit every width. */
export async function expectNoFaults(page: Page): Promise<void> {
	expect([...(await faultsInThemes(page)), ...(await faultsAtWidths(page, [320, 390, 768, 1280]))]).toEqual(
		[],
	);
}

/** Types the name that an irreversible action asks for, and confirms. Without it nothing can be confirmed. */
export async function confirmByName(page: Page, name: string, confirm: string): Promise<void> {
	const dialog = page.getByRole("dialog");
	const button = dialog.getByRole("button", { name: confirm, exact: true });
	expect(await button.isDisabled()).toBe(true);
	await dialog.getByRole("textbox", { name: `To confirm, type: ${name}` }).fill(name);
	await button.click();
}
