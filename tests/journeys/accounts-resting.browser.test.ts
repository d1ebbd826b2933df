import { afterAll, beforeAll, expect, test } from "vitest";
import { email, focused, openSignInPages, type SignInPages } from "./sign-in-visit.ts";

let accounts: SignInPages;
beforeAll(async () => {
	accounts = await openSignInPages();
});
afterAll(() => accounts?.close());
const visit: SignInPages["visit"] = (...args) => accounts.visit(...args);

test("the page to register is read aloud from its heading", () =>
	visit("/login", async (page) => {
		await page.getByRole("link", { name: "Register" }).click();
		await page.getByLabel("Your name").waitFor();
		expect(await focused(page)).toBe("Register");
	}));

test("a form on its way keeps the focus on its button, which sends nothing more", async () => {
	accounts.signOn.answer("POST /api/v1/auth/register", "nothing");
	await visit("/register?tenant=uhai", async (page) => {
		await page.getByLabel("Your name").fill("Amina");
		await email(page).fill("amina@example.com");
		await page.getByLabel("Password", { exact: true }).fill("tatu nne tano");
		await page.getByRole("button", { name: "Continue", exact: true }).click();
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
		await page.getByLabel("Short name of the organisation").press("Enter");
		// What the presses might send has come once something that was asked for after them was answered.
		await page.evaluate("fetch(location.href).then((answer) => answer.text())");
		expect(countSent()).toBe(1);
	});
});
