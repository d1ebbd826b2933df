import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { heading } from "./console-visit.ts";
import { outletIds, tokens } from "./fake-sign-on-answers.ts";
import { confirm, follow, isFocused, label, press, pressByKey, said, tabTo, type } from "./keyboard.ts";
import { email, openSignInPages, type SignInPages } from "./sign-in-visit.ts";

const change = "POST /api/v1/auth/password/change";

let accounts: SignInPages;
beforeAll(async () => {
	accounts = await openSignInPages();
});
afterEach(() => accounts.signOn.answer(change));
afterAll(() => accounts?.close());

/** Signs in by the keyboard. */
async function signIn(page: Page): Promise<void> {
	await type(page, email(page), "nurse@uhai.example");
	await type(page, label(page, "Password"), "Karibu-2026!");
	await page.keyboard.press("Enter");
}

/** Opens the profile by the keyboard. */
const inProfile = (look: (page: Page) => Promise<void>) =>
	accounts.visit("/login", async (page) => {
		await signIn(page);
		await follow(page, "Your profile");
		await heading(page, "Your profile").waitFor();
		await look(page);
	});

test("a password is changed after a mistake by the keyboard alone", () =>
	inProfile(async (page) => {
		const current = page.getByLabel("Current password");
		const send = async () => {
			await type(page, current, "Karibu-2026!");
			await type(page, page.getByLabel("New password"), "tatu nne tano");
			await press(page, "Change password");
		};
		accounts.signOn.answer(change, { status: 403, body: { code: "password_wrong" } });
		await send();
		await page.getByRole("alert").getByText("The current password is wrong.").waitFor();
		await expect.poll(() => current.and(page.locator(":focus")).count(), patience).toBe(1);
		accounts.signOn.answer(change, { status: 200, body: { changed: true } });
		await send();
		await said(page, "Your password was changed.");
		await isFocused(page, "Change password");
	}));

test("one device is signed out, and then all others, by the keyboard alone", () =>
	inProfile(async (page) => {
		await press(page, "Sign out of Chrome, Android");
		await said(page, "Signed out of Chrome, Android.");
		await press(page, "Sign out everywhere else");
		await confirm(page, "Sign out everywhere else");
		await said(page, "You are signed out everywhere else.");
		await tabTo(page, page.getByRole("link", { name: "Create another organisation" }));
	}));

test("a further organisation is made, and one that is here is joined, by the keyboard alone", () =>
	inProfile(async (page) => {
		await follow(page, "Create another organisation");
		await type(page, page.getByLabel("Organisation name"), "Soko");
		await press(page, "Create organisation");
		await said(page, "Soko is ready. You are its administrator.");
		await follow(page, "Back to your profile");
		await follow(page, "Join another organisation");
		await type(page, page.getByLabel("Short name of the organisation"), "uhai");
		await page.keyboard.press("Enter");
		await said(page, "Your request was sent. An administrator of Uhai Hospital must approve it.");
	}));

test("an outlet is chosen at the sign-in, and another one later, by the keyboard alone", () =>
	accounts.visit("/login", async (page) => {
		const user = { email: "nurse@uhai.example" };
		const body = { ...tokens, requiresOutletSelection: true, ssoExchangeToken: "once", outletIds, user };
		accounts.signOn.login({ status: 200, body });
		await signIn(page);
		await heading(page, "Where do you work today?").waitFor();
		await pressByKey(page, page.getByRole("button", { name: "Ward Block" }));
		await heading(page, "Your profile").waitFor();
		await follow(page, "Change outlet");
		await page.getByRole("button", { name: "Ward Block" }).getByText("Last used").waitFor();
		await pressByKey(page, page.getByRole("button", { name: "Pharmacy" }));
		await heading(page, "Your profile").waitFor();
	}));
