import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { enterAsOwner } from "./console-owner-visit.ts";
import { enter, faultsInThemes, heading, openSharedConsole, type SharedConsole } from "./console-visit.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

const number = "Number of the paybill or till";
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

test("an administrator sets the paybill of the organisation: wrong and taken numbers are refused, and secrets are not shown", () =>
	stand.visit(async (page) => {
		const admin = { email: "admin@uhai.example", outlet: "All outlets" };
		await enter(page, `${stand.urls.console}/uhai`, admin);
		await page.getByRole("link", { name: "Payment settings", exact: true }).click();
		await heading(page, "Payment settings").waitFor();
		for (const [entered, says] of [
			["12", "Enter a number of 5 to 10 digits."],
			["600300", "Another organisation has this number."],
		] as const) {
			await page.getByLabel(number).fill(entered);
			await save(page);
			await page.getByRole("alert").getByText(says).waitFor();
		}
		await page.getByLabel(number).fill("600200");
		await save(page);
		await page.getByText("The payment settings were saved.").waitFor();
		await page.getByText(/^Set .*ends with 026!/).waitFor();
		expect(await page.getByLabel("Password of the initiator", { exact: true }).inputValue()).toBe("");
		expect(await faultsInThemes(page)).toEqual([]);
		await page.evaluate('localStorage.setItem("lango-language", "sw")');
		await page.reload();
		await heading(page, "Mipangilio ya malipo").waitFor();
		expect(await page.getByLabel("Namba ya paybill au till").inputValue()).toBe("600200");
		expect(await faultsInThemes(page)).toEqual([]);
	}));

test("the platform owner sees the gateways without their secrets; production needs an address that is public", () =>
	stand.visit(async (page) => {
		await enterAsOwner(page, stand, "Payment gateways");
		await page.getByLabel("Address", { exact: true }).waitFor();
		await page.getByLabel("Environment").selectOption("Production");
		await save(page);
		await page.getByRole("alert").getByText("The address must be https and public in production.").waitFor();
		await page.getByLabel("Gateway", { exact: true }).selectOption("Cards and banks");
		await page.getByLabel("Address for webhooks, to set at the gateway").waitFor();
		await save(page);
		await page.getByText("Cards and banks: the settings were saved.").waitFor();
		expect(await page.getByLabel("Secret key").inputValue()).toBe("");
		expect(await faultsInThemes(page)).toEqual([]);
	}));
