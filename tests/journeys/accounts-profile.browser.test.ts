import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { accessibilityFaults } from "./browser.ts";
import { nurse, tokens } from "./fake-sign-on-answers.ts";
import { enter, openSignInPages, type SignInPages } from "./sign-in-visit.ts";

let accounts: SignInPages;
const answered: string[] = [];
beforeAll(async () => {
	accounts = await openSignInPages();
});
afterEach(() => {
	for (const call of answered.splice(0)) accounts.signOn.answer(call);
});
afterAll(() => accounts?.close());
const visit: SignInPages["visit"] = (...args) => accounts.visit(...args);

const answer = (call: string, status: number, body: unknown) => {
	answered.push(call);
	accounts.signOn.answer(call, { status, body });
};
const ok = (call: string, body: unknown) => answer(call, 200, body);
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

async function openProfile(page: Page): Promise<void> {
	await enter(page);
	await page.getByRole("link", { name: "Your profile" }).click();
	await heading(page, "Your profile");
}

test("a printed profile is light and has no controls, also in the dark theme", () =>
	visit("/login", async (page) => {
		await openProfile(page);
		await page.getByText("Chrome, Android").first().waitFor();
		await page.getByLabel("Theme").selectOption("Dark");
		await page.emulateMedia({ media: "print" });
		const background = "getComputedStyle(document.documentElement).backgroundColor";
		await expect.poll(() => page.evaluate(background)).toBe("rgb(246, 247, 244)");
		const controls = page.locator("button, input, select, nav, form").filter({ visible: true });
		expect(await controls.count()).toBe(0);
		await page.getByText("Chrome, Android").first().waitFor();
	}));

test("a device shows the place of its sign-in in the page’s language, and none if it is not known", () =>
	visit("/login", async (page) => {
		await openProfile(page);
		const placeOn = (device: string, word: string) =>
			page.getByRole("listitem", { name: device }).locator("dt", { hasText: word }).locator("+ dd");
		const shown = async (word: string) => [
			await placeOn("Chrome, Android", word).allInnerTexts(),
			await placeOn("Safari, iPhone", word).allInnerTexts(),
			await placeOn("Chrome, Linux", word).allInnerTexts(),
		];
		await expect.poll(() => shown("Place")).toEqual([["Arusha, Tanzania"], ["Germany"], []]);
		await press(page, "Kiswahili");
		await expect.poll(() => shown("Mahali")).toEqual([["Arusha, Tanzania"], ["Ujerumani"], []]);
		expect(await accessibilityFaults(page)).toEqual([]);
	}));

test("a session that ends is renewed over the page: what was typed stays and is sent", () =>
	visit("/login", async (page) => {
		await openProfile(page);
		await page.getByLabel("Current password").fill("Karibu-2026!");
		await page.getByLabel("New password").fill("tatu nne tano");
		const ended = { code: "session_ended", error: "…", request_id: "r-1" };
		for (const call of [
			"POST /api/v1/auth/password/change",
			"POST /api/v1/auth/refresh",
			"GET /api/v1/auth/me",
		])
			answer(call, 401, ended);
		await press(page, "Change password");
		const expired = page.getByRole("dialog", { name: "Your session has ended" });
		await expired.waitFor();
		expect(await accessibilityFaults(page)).toEqual([]);
		for (const call of answered.splice(0)) accounts.signOn.answer(call);
		ok("POST /api/v1/auth/password/change", {});
		ok("POST /api/v1/auth/resume", { ...tokens, refresh_token: undefined, me: nurse });
		const opened = page.waitForEvent("popup");
		await expired.getByRole("button", { name: "Sign in" }).click();
		await enter(await opened);
		await expired.waitFor({ state: "detached" });
		expect(await page.getByLabel("New password").inputValue()).toBe("tatu nne tano");
		await press(page, "Change password");
		await page.getByText("Your password was changed.").waitFor();
	}));
