import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectNoFaults } from "./console-visit.ts";
import { signedIn } from "./fake-sign-on.ts";
import {
	accountsFolder,
	enter,
	focused,
	openSignInPages,
	password,
	refused,
	type SignInPages,
	submit,
} from "./sign-in-visit.ts";

let accounts: SignInPages;
beforeAll(async () => {
	accounts = await openSignInPages();
});
afterAll(() => accounts?.close());
const visit: SignInPages["visit"] = (...args) => accounts.visit(...args);

test("everything can be done from the keyboard, in the order it is read", () =>
	visit("/login", async (page) => {
		await expect.poll(() => focused(page)).toBe("email");
		await page.keyboard.type("admin@uhai.example");
		await page.keyboard.press("Tab");
		expect(await focused(page)).toBe("password");
		await page.keyboard.type("Karibu-2026!");
		await page.keyboard.press("Tab");
		await page.keyboard.press("Space");
		expect(await password(page).getAttribute("type")).toBe("text");
		await page.getByText("Your password is shown.").waitFor({ state: "attached" });
		await page.keyboard.press("Space");
		expect(await password(page).getAttribute("type")).toBe("password");
		await page.keyboard.press("Tab");
		expect(await focused(page)).toBe("Sign in");
		await page.keyboard.press("Enter");
		await page.getByText("You are signed in").waitFor();
		await expect.poll(() => focused(page)).toBe("You are signed in");
	}));

test("axe finds nothing on any page, light or dark, and everything fits a phone, a tablet and a desk", () =>
	visit(
		"/login?tenant=uhai",
		async (page) => {
			const check = async (words: string) => {
				await page.getByText(words).first().waitFor();
				await expectNoFaults(page);
			};
			await check("Sign in to Uhai Hospital");
			accounts.signOn.login(refused(500, { code: "internal" }));
			await enter(page);
			await check("give support this reference");
			accounts.signOn.login(signedIn);
			await enter(page);
			await check("You are signed in");
			await page.goto(`${accounts.pages.url}/signed-out`);
			await check("You are signed out");
			await page.goto(`${accounts.pages.url}/login?tenant=nowhere`);
			await check("There is no organisation");
			await page.goto(`${accounts.pages.url}/login?return_to=%2F%2Fevil.example`);
			await check("This sign-in link cannot be used");
			await page.goto(`${accounts.pages.url}/no/such/page`);
			await check("Page not found");
			await page.addInitScript("reported = []; reportError = (cause) => reported.push(cause.message)");
			await page.route("**/settings.json", (route) => route.fulfill({ status: 500 }));
			await page.goto(`${accounts.pages.url}/login`);
			await check("A part of the page did not load.");
			expect(await page.evaluate("reported")).toEqual(["/settings.json responded with 500."]);
		},
		{ width: 320, reducedMotion: "reduce" },
	));

test("on a phone every control is at least 44 px high and no input is small enough to be zoomed", () =>
	visit(
		"/login?tenant=uhai",
		async (page) => {
			await submit(page).waitFor();
			for (const control of await page.locator("input, button, a").all()) {
				const box = await control.boundingBox();
				expect(box?.height).toBeGreaterThanOrEqual(44);
				expect(box?.width).toBeGreaterThanOrEqual(44);
			}
			const sizes = await page.evaluate(
				"[...document.querySelectorAll('input')].map((i) => parseFloat(getComputedStyle(i).fontSize))",
			);
			for (const size of sizes as number[]) expect(size).toBeGreaterThanOrEqual(16);
		},
		{ width: 360, height: 740, touch: true },
	));

test.each([
	["reduce", "0s"],
	["no-preference", "0.9s"],
] as const)("with the preference %s the gate's movement takes %s", (reducedMotion, duration) =>
	visit(
		"/login",
		async (page) => {
			await submit(page).waitFor();
			const leaf = "getComputedStyle(document.querySelector('.gate-leaf')).transitionDuration";
			expect(await page.evaluate(leaf)).toBe(duration);
		},
		{ reducedMotion },
	),
);

test("the first view needs two fonts, of 30 kB, and moves nothing when they come late", () =>
	visit("/login", async (page) => {
		const fonts = { asked: [] as string[], arrive: Promise.withResolvers<void>() };
		await page.route("**/*.woff2", async (route) => {
			fonts.asked.push(new URL(route.request().url()).pathname);
			await fonts.arrive.promise;
			await route.continue();
		});
		await page.addInitScript(`
			window.shift = 0;
			new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shift += value; })
				.observe({ type: "layout-shift", buffered: true });
		`);
		await page.goto(`${accounts.pages.url}/login`, { waitUntil: "commit" });
		await submit(page).waitFor();
		const loaded = () =>
			page.evaluate(
				"[...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family)",
			);
		const families = ["Young Serif", "Atkinson Hyperlegible Next Variable"];
		for (const family of families) expect(await loaded()).not.toContain(family);
		fonts.arrive.resolve();
		await expect.poll(loaded).toEqual(expect.arrayContaining(families));
		// The shift is reported with the frame after the one that shows the fonts.
		await page.evaluate(
			"new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(seen))))",
		);
		expect(await page.evaluate("window.shift")).toBeLessThan(0.05);
		expect(fonts.asked).toHaveLength(2);
		const sizes = fonts.asked.map((path) => statSync(resolve(accountsFolder, `.${path}`)).size);
		expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(30_000);
	}));

test("the page shows its outline and asks for its fonts before a script has run", () =>
	visit("/login", async (page) => {
		await page.route("**/*.js", () => {});
		const fonts: string[] = [];
		page.on("request", (request) => {
			if (request.resourceType() === "font") fonts.push(request.url());
		});
		await page.reload({ waitUntil: "commit" });
		await page.getByText("Lango", { exact: true }).waitFor();
		await expect.poll(() => fonts).toHaveLength(2);
		expect(await page.getByRole("heading").count()).toBe(0);
	}));

test("the scripts of the first view are at most 180 kB compressed", () => {
	const html = readFileSync(resolve(accountsFolder, "index.html"), "utf8");
	const scripts = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, file]) => `${file}.gz`);
	expect(scripts.length).toBeGreaterThan(1);
	const sizes = scripts.map((file) => statSync(resolve(accountsFolder, file)).size);
	expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(180_000);
});
