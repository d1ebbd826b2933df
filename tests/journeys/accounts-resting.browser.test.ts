import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { email, focused, openSignInPages, type SignInPages } from "./sign-in-visit.ts";

let accounts: SignInPages;
beforeAll(async () => {
	accounts = await openSignInPages();
});
afterAll(() => accounts?.close());
const visit: SignInPages["visit"] = (...args) => accounts.visit(...args);

/** Goes to the profile without loading the page again. */
async function openProfileHere(page: Page): Promise<void> {
	const go = "history.replaceState(null, '', '/profile'), dispatchEvent(new PopStateEvent('popstate'))";
	await page.evaluate(go);
}

test("the page to register is read aloud from its heading", () =>
	visit("/login", async (page) => {
		await page.getByRole("link", { name: "Register" }).click();
		await page.getByLabel("Organisation name").waitFor();
		expect(await focused(page)).toBe("Register");
	}));

test("a form on its way keeps the focus on its button, which sends nothing more", async () => {
	accounts.signOn.answer("POST /api/v1/auth/register", "nothing");
	await visit("/register?tenant=uhai", async (page) => {
		await page.getByLabel("Your name").fill("Amina");
		await email(page).fill("amina@example.com");
		await page.getByLabel("Password", { exact: true }).fill("tatu nne tano");
		accounts.signOn.takeReceived();
		const button = page.getByRole("button", { name: "Register", exact: true });
		await button.focus();
		await page.keyboard.press("Enter");
		await page.locator("button[aria-disabled=true]").waitFor();
		expect(await page.evaluate("document.activeElement.type")).toBe("submit");
		let sent = 0;
		const countSent = () => {
			const received = accounts.signOn.takeReceived();
			sent += received.filter(({ path }) => path === "/api/v1/auth/register").length;
			return sent;
		};
		await expect.poll(countSent).toBe(1);
		await page.keyboard.press("Enter");
		await page.getByLabel("Your name").press("Enter");
		// What the presses might send has come once something that was asked for after them was answered.
		await page.evaluate("fetch(location.href).then((answer) => answer.text())");
		expect(countSent()).toBe(1);
	});
});

/** Notes each time the page is left for the sign-on service, and lets it stay. */
async function keepFromLeaving(page: Page): Promise<string[]> {
	const left: string[] = [];
	await page.route("**/api/v1/authorize?*", (route) => {
		left.push(route.request().url());
		return route.fulfill({ status: 204 });
	});
	return left;
}

test("a page that was left for the sign-in leaves again when a browser shows it as it was", () =>
	visit("/signed-out", async (page) => {
		const left = await keepFromLeaving(page);
		await openProfileHere(page);
		await page.getByRole("heading", { name: "One moment" }).waitFor();
		await expect.poll(() => left.length).toBe(1);
		await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
		await expect.poll(() => left.length).toBe(2);
		expect(new Set(left).size).toBe(2);
	}));

test("a failed redirect to the sign-in is shown, and can be tried again", () =>
	visit("/signed-out", async (page) => {
		const left = await keepFromLeaving(page);
		await page.evaluate(
			"window.digest = crypto.subtle.digest, crypto.subtle.digest = () => Promise.reject(new Error('no'))",
		);
		await openProfileHere(page);
		await page.getByRole("button", { name: "Try again" }).waitFor();
		await page.evaluate("crypto.subtle.digest = window.digest.bind(crypto.subtle)");
		await page.getByRole("button", { name: "Try again" }).click();
		await expect.poll(() => left.length).toBe(1);
	}));
