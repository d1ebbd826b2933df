import type { Page, Response } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { registerTenant } from "./console-tenant.ts";
import { enter, heading, openSharedConsole, type SharedConsole, signIn } from "./console-visit.ts";
import { buildDocumentedPage } from "./documented-page.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const at = (path: string) => `${stand.urls.console}${path}`;

/** The tenants named by the tokens a tab sends to the subscription service. */
function watchTenants(page: Page): Set<string> {
	const slugs = new Set<string>();
	page.on("request", (request) => {
		const [, payload] = request.headers()["authorization"]?.split(".") ?? [];
		if (payload === undefined || !request.url().startsWith(stand.urls.subscriptions)) return;
		slugs.add(JSON.parse(Buffer.from(payload, "base64url").toString()).tenant_slug);
	});
	return slugs;
}

test("two tabs of one person in two tenants each stay in theirs, and signing out in one closes the other", async () => {
	const tenant = await registerTenant(stand);
	await tenant.paysFor("STARTER");
	const other = await tenant.adds("Soko Mbili");
	await stand.visit(async (page, window) => {
		const first = watchTenants(page);
		await page.goto(at(`/${tenant.slug}`));
		await signIn(page, tenant.email);
		await heading(page, "Overview").waitFor();
		const second = await window.newPage();
		const ofSecond = watchTenants(second);
		await second.goto(at(`/${other}`));
		await heading(second, "Subscription").waitFor();
		await second.getByRole("banner").getByText("Soko Mbili").waitFor();
		await second.getByRole("button", { name: "Try Growth" }).click();
		await second.getByText("Your free trial of Growth has started").waitFor();
		await page.getByRole("link", { name: "Subscription" }).click();
		await heading(page, "Subscription").waitFor();
		await page.getByRole("main").getByText("Starter", { exact: true }).first().waitFor();
		expect([...first]).toEqual([tenant.slug]);
		expect([...ofSecond]).toEqual([other]);
		await second.getByRole("link", { name: "Profile" }).click();
		await heading(second, "Your profile").waitFor();
		await second.getByRole("button", { name: "Sign out", exact: true }).first().click();
		await heading(second, "You are signed out").waitFor();
		await heading(page, "You are signed out").waitFor();
		await page.getByRole("button", { name: "Sign in" }).click();
		await page.getByLabel("Password", { exact: true }).waitFor();
	});
});

test("two tabs of one session whose tokens are refused at the same moment both go on, refreshed once", () =>
	stand.visit(async (page, window) => {
		const admin = { email: "admin@uhai.example" };
		await enter(page, at("/uhai"), admin);
		const second = await window.newPage();
		await second.goto(at("/uhai"));
		await heading(second, "Overview").waitFor();
		const tabs = [page, second];
		const refreshes = tabs.map(watchRefreshes);
		for (const tab of tabs) await refuseOnce(tab);
		await Promise.all(tabs.map((tab) => tab.getByRole("link", { name: "Sessions" }).click()));
		for (const tab of tabs) {
			await heading(tab, "Sessions").waitFor();
			await tab.getByText("This device").waitFor();
		}
		await expect.poll(() => refreshes.flat().length, patience).toBe(1);
		expect(refreshes.flat()[0]?.status()).toBe(200);
		for (const tab of tabs) {
			await tab.getByRole("link", { name: "Profile" }).click();
			await heading(tab, "Your profile").waitFor();
		}
	}));

function watchRefreshes(page: Page): Response[] {
	const seen: Response[] = [];
	page.on("response", (response) => {
		const isRefresh = /\/api\/v1\/auth\/(refresh|resume)$/.test(response.url());
		if (isRefresh && response.request().method() === "POST") seen.push(response);
	});
	return seen;
}

/** The tab's list of sessions is refused once, as with a token that has run out. */
async function refuseOnce(page: Page): Promise<void> {
	let isRefused = false;
	await page.route("**/api/v1/auth/sessions?*", (route) => {
		if (isRefused || route.request().method() === "OPTIONS") return route.fallback();
		isRefused = true;
		const headers = { "access-control-allow-origin": stand.urls.console };
		return route.fulfill({ status: 401, headers, json: { error: "expired", code: "token_invalid" } });
	});
}

test("a token that runs out while something is paid is renewed, and it is paid once", async () => {
	const tenant = await registerTenant(stand, { plan: "STARTER" });
	await stand.visit(async (page) => {
		await page.goto(at(`/${tenant.slug}/subscribe`));
		await signIn(page, tenant.email);
		let isRefused = false;
		await page.route("**/subscription/checkout", (route) => {
			if (isRefused || route.request().method() !== "POST") return route.fallback();
			isRefused = true;
			const headers = { "access-control-allow-origin": stand.urls.console };
			return route.fulfill({ status: 401, headers, json: { error: "expired", code: "token_invalid" } });
		});
		const refreshes = watchRefreshes(page);
		await page.getByRole("link", { name: "Pay for Starter" }).click();
		await page.getByRole("button", { name: "Pay Ksh 1,500.00" }).click();
		await page.getByText("was paid. Thank you.").waitFor();
		expect(isRefused).toBe(true);
		expect(refreshes.length).toBeGreaterThan(0);
		const { body } = await tenant.ask("GET", "/payments");
		expect(body["items"]).toMatchObject([{ status: "paid", attempt: 1 }]);
	});
});

/** The documented front end shows its verdict and nothing else. */
const shows = (page: Page, verdict: string) =>
	page
		.getByRole("main")
		.filter({ hasText: new RegExp(`^${verdict}$`) })
		.waitFor();

test("the documented front end signs in, and a tab opened from it shares its session: a token refused in both at once is renewed by one", async () => {
	const body = await buildDocumentedPage(stand.urls);
	const sessions = `${stand.urls.auth}/api/v1/auth/sessions`;
	await stand.visit(async (page, window) => {
		// In place of the console's own script, so that its address is a registered one and its policy holds.
		await window.route(`${stand.urls.console}/assets/*.js`, (route) =>
			route.fulfill({ contentType: "text/javascript", body }),
		);
		const refused = new Set<string>();
		await window.route(sessions, (route) => {
			const headers = { "access-control-allow-origin": stand.urls.console };
			const json = { error: "expired", code: "token_invalid" };
			const { authorization = "" } = route.request().headers();
			return refused.has(authorization) ? route.fulfill({ status: 401, headers, json }) : route.fallback();
		});
		const refreshes: number[] = [];
		window.on("response", (response) => {
			const request = response.request();
			if (request.method() === "POST" && request.url().endsWith("/api/v1/auth/refresh"))
				refreshes.push(response.status());
		});
		await page.goto(at("/uhai"));
		await signIn(page, "admin@uhai.example");
		await shows(page, "on");
		expect(page.url()).toBe(at("/uhai"));

		const opened = page.waitForEvent("popup");
		await page.evaluate("void window.open(location.href)");
		const tabs = [page, await opened];
		for (const tab of tabs) await shows(tab, "on");
		for (let round = 0; round <= 5; round += 1) {
			// Each answers with the token that its last request was let in with.
			const [one = "", other] = await Promise.all(tabs.map((tab) => askWith(tab, sessions)));
			expect(other).toBe(one);
			expect(refused).not.toContain(one);
			expect(refreshes).toEqual(Array(round).fill(200));
			refused.add(one);
		}
	});
});

/** Asks in a tab as its person, and answers the Authorization of the request that was let in. */
async function askWith(page: Page, address: string): Promise<string> {
	const answered = page.waitForResponse(
		(response) => response.url() === address && response.request().method() === "GET" && response.ok(),
	);
	await page.evaluate(`client.call(${JSON.stringify(address)}).then(() => undefined)`);
	return (await answered).request().headers()["authorization"] ?? "";
}

test("a tab whose subscription somebody else paid continues as soon as somebody comes back to it", async () => {
	const tenant = await registerTenant(stand, { plan: "STARTER" });
	await tenant.daysPass(40);
	await stand.visit(async (page) => {
		await page.clock.install();
		await page.goto(at(`/${tenant.slug}`));
		await signIn(page, tenant.email);
		await heading(page, "Subscription").waitFor();
		await page.getByRole("button", { name: "Continue in read-only mode" }).waitFor();
		await tenant.ask("POST", "/checkout", { plan: "STARTER" });
		await expect.poll(async () => (await tenant.ask("GET", "")).body["status"], patience).toBe("ACTIVE");
		await page.clock.fastForward(16_000);
		await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
		await page.getByRole("button", { name: "Continue in read-only mode" }).waitFor({ state: "detached" });
		// The gate reads the subscription after the page did: a click before that leads back here.
		const opensOverview = async () => {
			await page.getByRole("link", { name: "Overview" }).click();
			return heading(page, "Overview").isVisible();
		};
		await expect.poll(opensOverview, patience).toBe(true);
	});
});

test("a demoted administrator loses the administrators' pages within five minutes, at the next page", () =>
	stand.visit(async (page) => {
		await page.clock.install();
		await enter(page, at("/uhai"), { email: "admin@uhai.example" });
		const people = page.getByRole("link", { name: "People", exact: true });
		await people.waitFor();
		await page.route("**/api/v1/auth/me", async (route) => {
			if (route.request().method() !== "GET") return route.fallback();
			const response = await route.fetch();
			return route.fulfill({
				response,
				json: { ...(await response.json()), roles: ["staff"], permissions: [] },
			});
		});
		await page.clock.fastForward(301_000);
		await page.getByRole("link", { name: "Sessions" }).click();
		await people.waitFor({ state: "detached" });
	}));
