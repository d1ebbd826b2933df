import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import {
	enter,
	faultsAtWidths,
	faultsInThemes,
	openSharedConsole,
	type SharedConsole,
	watchErrors,
} from "./console-visit.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

/** Pages that are not looked at: they close their window, or leave it for the sign-in pages. */
const passing = ["/$slug/signed-in-again", "/auth/callback", "/$slug/auth/callback"];
/** A phone, and where tables and the navigation have least room beside each other. */
const narrowWidths = [360, 1024, 1100, 1187];
/** A dialog has nothing beside it. */
const dialogWidths = [360, 1024];
const unknownId = "00000000-0000-4000-8000-000000000000";

type Listed = { path: string; isForPlatform: boolean };

/** The pages of the route table of the console. */
async function listRoutes(page: Page): Promise<Listed[]> {
	const routes = (await page.evaluate(
		`Object.values(__TSR_ROUTER__.routesByPath).map(({ fullPath, options }) => ({
			path: fullPath.replace(/(.)\\/$/, "$1"),
			isForPlatform: options.staticData?.isForPlatform === true,
		}))`,
	)) as Listed[];
	const paths = new Map(routes.map((route) => [route.path, route]));
	return [...paths.values()].filter(({ path }) => !passing.includes(path));
}

/** An address of a route: that of a link which was seen, else one of a thing that does not exist. */
function addressOf(path: string, { slug, seen }: { slug: string; seen: readonly string[] }): string {
	const form = new RegExp(`^${path.replace("$slug", slug).replaceAll(/\$\w*/g, "[^/?]+")}$`);
	const linked = seen.find((address) => form.test(address));
	return linked ?? path.replace("$slug", slug).replaceAll(/\$\w*/g, unknownId);
}

/**
 * Opens an address within the console, and waits for the page; it may lead to another one. The page before is
 * left without a question about its entries.
 */
async function openAddress(page: Page, address: string): Promise<void> {
	const push = `__TSR_ROUTER__.history.push(${JSON.stringify(address)}, undefined, { ignoreBlocker: true })`;
	await page.evaluate(push);
	await expect.poll(() => page.evaluate("__TSR_ROUTER__.state.status"), patience).toBe("idle");
	await page.getByRole("heading", { level: 1 }).first().waitFor();
	await expect.poll(() => page.getByText("Loading…").count(), patience).toBe(0);
}

/**
 * What the buttons that open dialogs are called, in their order. The rows of a list open the same dialogs, so
 * that their buttons are called by the label, without what the row is about.
 */
const openerNames = `(() => {
	const lists = [...document.querySelectorAll("main :is(table, ul, ol)")];
	return [...document.querySelectorAll("main [aria-haspopup=dialog]")].map((opener) => {
		const label = opener.textContent.trim();
		const list = opener.closest("tr, li")?.closest("table, ul, ol");
		return list ? label + " in list " + (lists.indexOf(list) + 1) : (opener.getAttribute("aria-label") ?? label);
	});
})()`;

/** The faults of each dialog that a button of the page opens, one for each different name. */
async function faultsOfDialogs(page: Page): Promise<string[]> {
	const listNames = async () => (await page.evaluate(openerNames)) as string[];
	const found: string[] = [];
	for (const name of new Set(await listNames())) {
		const place = (await listNames()).indexOf(name);
		expect(place, name).toBeGreaterThanOrEqual(0);
		await page.locator("main [aria-haspopup=dialog]").nth(place).click();
		await page.getByRole("dialog").waitFor();
		const faults = [...(await faultsInThemes(page)), ...(await faultsAtWidths(page, dialogWidths))];
		found.push(...faults.map((fault) => `dialog "${name}": ${fault}`));
		await page.keyboard.press("Escape");
		await page.getByRole("dialog").waitFor({ state: "detached" });
	}
	return found;
}

/** The faults of the page and of its dialogs, in the light and the dark theme, at every width. */
async function faultsOfPage(page: Page): Promise<string[]> {
	return [
		...(await faultsInThemes(page)),
		...(await faultsAtWidths(page, narrowWidths)),
		...(await faultsOfDialogs(page)),
	];
}

/** A thing that does not exist is asked for on purpose; where ids are numbers its id is refused. */
const isExpected = (error: string) => / status of 40[04] /.test(error) && error.includes(unknownId);

/** The faults of a page and its dialogs, and what they log as errors. */
async function faultsAt(page: Page, address: string, errors: string[]): Promise<string[]> {
	await openAddress(page, address);
	const faults = await faultsOfPage(page);
	const logged = errors.splice(0).filter((error) => !isExpected(error));
	return [...faults, ...logged].map((fault) => `${address}: ${fault}`);
}

type Role = { slug: string; email: string; isForPlatform: boolean; further: readonly string[] };

async function walk(page: Page, { slug, email, isForPlatform, further }: Role): Promise<string[]> {
	const errors = watchErrors(page.context());
	await enter(page, `${stand.urls.console}/${slug}`, { email });
	const routes = (await listRoutes(page)).filter((route) => route.isForPlatform === isForPlatform);
	expect(routes.length).toBeGreaterThan(25);
	const known = new Set(routes.map(({ path }) => path.replace("$slug", slug)));
	const seen: string[] = [];
	const found: string[] = [];
	const byParameters = ({ path }: Listed) => path.split("$").length;
	for (const { path } of routes.toSorted((one, other) => byParameters(one) - byParameters(other))) {
		const address = addressOf(path, { slug, seen });
		found.push(...(await faultsAt(page, address, errors)));
		const links = `[...document.querySelectorAll('main a[href^="/${slug}/"]')].map(({ pathname }) => pathname)`;
		// A link to a page of its own, such as "new", does not lead to a thing.
		seen.push(...((await page.evaluate(links)) as string[]).filter((link) => !known.has(link)));
	}
	for (const address of further) found.push(...(await faultsAt(page, address, errors)));
	return found;
}

const administrator: Role = {
	slug: "uhai",
	email: "admin@uhai.example",
	isForPlatform: false,
	further: ["/uhai/subscribe/change?plan=STARTER", "/uhai/no/such/page"],
};
const owner: Role = {
	slug: "lango",
	email: "root@lango.example",
	isForPlatform: true,
	further: ["/uhai/limits", "/uhai/providers", "/lango/platform/failures?service=hospital"],
};

test.each<[who: string, role: Role]>([
	["an administrator", administrator],
	["the platform owner", owner],
])(
	"axe finds nothing on any page or dialog of %s, light or dark, everything fits a phone and a desk, and no page logs an error",
	(_who, role) =>
		stand.visit(async (page) => {
			expect(await walk(page, role)).toEqual([]);
		}),
	600_000,
);
