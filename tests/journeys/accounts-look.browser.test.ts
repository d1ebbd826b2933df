import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessibilityFaults } from "./browser.ts";
import { email, openSignInPages, type SignInPages } from "./sign-in-visit.ts";

let accounts: SignInPages;
beforeAll(async () => {
	accounts = await openSignInPages();
});
afterAll(() => accounts?.close());
const visit: SignInPages["visit"] = (...args) => accounts.visit(...args);

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

test("a browser that prefers Swahili is spoken to in Swahili; a choice stays and loses nothing typed", () =>
	visit(
		"/login?tenant=uhai",
		async (page) => {
			await heading(page, "Ingia Uhai Hospital");
			expect(await page.locator("html").getAttribute("lang")).toBe("sw");
			expect(await accessibilityFaults(page)).toEqual([]);
			await page.getByLabel("Barua pepe").fill("a@b.example");
			await press(page, "English");
			expect(await email(page).inputValue()).toBe("a@b.example");
			await page.reload();
			await heading(page, "Sign in to Uhai Hospital");
		},
		{ locale: "sw-KE" },
	));

test("the sign-in opens in the first supported language of ui_locales, until the person chooses one", () => {
	const requestIn = (languages: string) => {
		const request = `${accounts.signOn.url}/api/v1/authorize?client_id=cafe-website&ui_locales=${languages}`;
		return `/login?${new URLSearchParams({ return_to: request, tenant: "uhai" })}`;
	};
	return visit(requestIn("fr%20sw-KE%20en"), async (page) => {
		const open = (path: string) => page.goto(`${accounts.pages.url}${path}`);
		await heading(page, "Ingia Uhai Hospital");
		expect(await page.locator("html").getAttribute("lang")).toBe("sw");
		await open("/login?tenant=uhai");
		await heading(page, "Ingia Uhai Hospital");
		await open(requestIn("fr"));
		await heading(page, "Sign in to Uhai Hospital");
		await open(requestIn("sw"));
		await press(page, "English");
		await heading(page, "Sign in to Uhai Hospital");
		await open(requestIn("sw"));
		await heading(page, "Sign in to Uhai Hospital");
	});
});

test("a theme that is chosen stays", () =>
	visit("/login", async (page) => {
		await page.getByLabel("Theme").selectOption("dark");
		expect(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor")).toBe(
			"rgb(12, 21, 20)",
		);
		await page.reload();
		await email(page).waitFor();
		expect(await page.locator("html").getAttribute("data-theme")).toBe("dark");
		expect(await accessibilityFaults(page)).toEqual([]);
	}));
