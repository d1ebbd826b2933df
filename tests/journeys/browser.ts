import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

/**
 * Where Debian, other Linuxes and macOS keep Chromium or a browser built on it. Its headless shell comes
 * first: a file of journeys took a third less processor time with it.
 */
const places = [
	"/usr/bin/chromium-headless-shell",
	"/usr/bin/chromium",
	"/usr/bin/chromium-browser",
	"/usr/bin/google-chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const quiet = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

/** Starts a headless Chromium from this machine. Throws, with what to do, when there is none. */
export async function startBrowser(): Promise<Browser> {
	const executablePath = places.find(existsSync);
	if (executablePath === undefined) {
		throw new Error(
			`No Chromium at ${places.join(", ")}. On Debian: apt-get install chromium-headless-shell.`,
		);
	}
	return chromium.launch({ executablePath, headless: true, args: quiet });
}

/** The longest wait for something on a page, also on a busy machine. */
export const patience = { timeout: 30_000 };

export type Visit = {
	width?: number;
	height?: number;
	colorScheme?: "light" | "dark";
	reducedMotion?: "reduce" | "no-preference";
	touch?: boolean;
	/** The language the browser asks for; "en-KE" when left out. */
	locale?: string;
	/**
	 * Whether language and theme are stored with the account. Otherwise they stay in the window, so that visits
	 * of one person do not change each other.
	 */
	storesLook?: boolean;
	/** Whether the bell is live. Otherwise its stream is refused, so that the network becomes idle. */
	isLive?: boolean;
	/**
	 * Whether the browser keeps the pages for use without a network. Otherwise it does not, because requests of
	 * a service worker pass by the routes of a page.
	 */
	isKept?: boolean;
};

/**
 * Refuse the bell's stream and the storing of language and theme. A route of the window would do the same,
 * but it stops every request and switches the browser's cache off.
 */
const refuseStream = refusing("GET", "/inbox/stream");
const refuseLook = refusing("PATCH", "/api/v1/auth/me");

function refusing(method: string, path: string): string {
	return `{
	const { fetch } = window;
	window.fetch = (input, init) =>
		(init?.method ?? "GET") === "${method}" &&
		new URL(input instanceof Request ? input.url : input, location).pathname.endsWith("${path}")
			? Promise.resolve(new Response("{}", { status: 404 }))
			: fetch(input, init);
}`;
}

/** A person's browser window, with its own cookies. Waits in it end with an error after `patience`. */
export async function openWindow(browser: Browser, visit: Visit = {}): Promise<BrowserContext> {
	const { width = 1280, height = 800, touch = false, ...more } = visit;
	const { isLive = false, isKept = false, storesLook = false, ...media } = more;
	const context = await browser.newContext({
		viewport: { width, height },
		hasTouch: touch,
		isMobile: touch,
		serviceWorkers: isKept ? "allow" : "block",
		locale: "en-KE",
		...media,
	});
	context.setDefaultTimeout(patience.timeout);
	if (!isLive) await context.addInitScript(refuseStream);
	if (!storesLook) await context.addInitScript(refuseLook);
	return context;
}

/** Waits until the browser has kept the page and the files that it has loaded. */
export async function untilKept(page: Page): Promise<void> {
	const isKept = "caches.match(document.querySelector('script[src]').src).then((file) => file !== undefined)";
	await expect.poll(() => page.evaluate(isKept), patience).toBe(true);
}

/** The rules of axe-core whose result depends on colours. */
export const colourRules = ["color-contrast", "link-in-text-block"];

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Everything axe-core finds wrong on a page at this moment, one line each; an accessible page has none.
 * `rules` limits the check to some rules.
 */
export async function accessibilityFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
	// Evaluated by the debugger, so the page's own policy neither hinders it nor has to be loosened.
	if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(axe);
	const limits = rules === undefined ? {} : { runOnly: { type: "rule", values: rules } };
	// Describing and sending what passes takes more processor time than the check.
	const options = JSON.stringify({ ...limits, resultTypes: ["violations"] });
	const found = (await page.evaluate(
		`axe.run(document, ${options}).then(({ violations }) =>
			violations.map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map(({ html }) => html) })))`,
	)) as Finding[];
	return found.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.join(" · ")})`);
}

type Finding = { id: string; help: string; nodes: string[] };
