import type { Page, Request } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { enter, openPath, openSharedConsole, type SharedConsole, watchErrors } from "./console-visit.ts";

// A browser logs each refused request as an error: pages do not ask for what they expect to be missing.
// console-every-page.browser.test.ts looks at every page of an administrator and of the platform owner.

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

test("no page that staff open logs an error, nor does their live bell", () =>
	stand.visit(
		async (page, window) => {
			const errors = watchErrors(window);
			await enter(page, `${stand.urls.console}/uhai`, { email: "pharm@uhai.example" });
			for (const path of ["inbox", "receipts", "profile", "sessions"]) {
				await openPath(page, `/uhai/${path}`);
				await page.locator("h1").first().waitFor();
				await expect.poll(() => page.getByText("Loading…").count(), patience).toBe(0);
			}
			expect(errors).toEqual([]);
		},
		{ isLive: true },
	));

/** Opens every page of the route table of the sign-in pages, and waits for all that it asks for. */
async function openSignInPages(page: Page): Promise<void> {
	const pending = new Set<Request>();
	page.on("request", (request) => pending.add(request));
	page.on("requestfinished", (request) => pending.delete(request));
	page.on("requestfailed", (request) => pending.delete(request));
	await page.goto(`${stand.urls.accounts}/login?tenant=uhai`);
	await page.locator("h1").first().waitFor();
	const paths = (await page.evaluate("Object.keys(__TSR_ROUTER__.routesByPath)")) as string[];
	expect(paths.length).toBeGreaterThan(10);
	for (const path of paths) {
		const address = path.replace("$tenant", "uhai");
		await page.evaluate(`__TSR_ROUTER__.history.push(${JSON.stringify(address)})`);
		await expect.poll(() => page.evaluate("__TSR_ROUTER__.state.status"), patience).toBe("idle");
		await page.locator("h1").first().waitFor();
		await expect.poll(() => pending.size, patience).toBe(0);
	}
}

test.each([
	["a visitor", undefined],
	["a signed-in person", "pharm@uhai.example"],
])("no page of the sign-in that %s opens logs an error", (_who, email) =>
	stand.visit(async (page, window) => {
		const errors = watchErrors(window);
		if (email !== undefined) await enter(page, `${stand.urls.console}/uhai`, { email });
		await openSignInPages(page);
		expect(errors).toEqual([]);
	}),
);
