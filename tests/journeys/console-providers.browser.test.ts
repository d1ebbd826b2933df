import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { enterAsOwner } from "./console-owner-visit.ts";
import {
	confirmByName,
	enter,
	heading,
	openPath,
	openSharedConsole,
	type SharedConsole,
} from "./console-visit.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const at = (path: string) => `${stand.urls.console}${path}`;
const inPage = (name: string, look: (page: Page) => Promise<void>) =>
	stand.visit(async (page) => {
		await enterAsOwner(page, stand, name);
		await look(page);
	});
const question = (page: Page) => page.getByRole("dialog");

/** Asks for a link by e-mail, which is sent through the platform's providers. */
const sendsMail = () =>
	stand.visit(async (page) => {
		await page.goto(`${stand.urls.accounts}/forgot-password`);
		await page.locator("[name=email]").fill("admin@uhai.example");
		await page.keyboard.press("Enter");
		await page.getByText("If admin@uhai.example is registered, a link was sent to it.").waitFor();
	});

/** Switches a provider on or off at its page. */
async function switchProvider(page: Page, name: string): Promise<void> {
	await openPath(page, "/lango/platform/providers");
	await page.getByRole("link", { name, exact: true }).click();
	await heading(page, name).waitFor();
	await page.getByRole("button", { name: "Change", exact: true }).click();
	await question(page).getByLabel("Use this provider").click();
	await question(page).getByRole("button", { name: "Save" }).click();
	await page.getByText(`${name} was changed.`).waitFor();
}

test("a provider is added without its password ever being shown again, checked, used and removed", () =>
	inPage("Message providers", async (page) => {
		await page.getByRole("button", { name: "Add a provider" }).click();
		const form = question(page);
		const add = form.getByRole("button", { name: "Add a provider" });
		await add.click();
		await form.getByRole("alert").getByText("This field is required: Name.").waitFor();
		await form.getByLabel("Name", { exact: true }).fill("Second server");
		await form.getByLabel("Server", { exact: true }).fill("localhost");
		await form.getByLabel("Port", { exact: true }).fill("99999");
		await add.click();
		await form.getByRole("alert").getByText("Enter a port").waitFor();
		await form.getByLabel("Port", { exact: true }).fill("1");
		await form.getByLabel("Encryption").selectOption({ label: "None: only in the platform’s own network" });
		await form.getByLabel("Messages a second").fill("0");
		await add.click();
		await form.getByRole("alert").getByText("from 1 to 10000").waitFor();
		await form.getByLabel("Messages a second").fill("50");
		await add.click();
		await page.getByText("Second server was added.").waitFor();
		await page.getByRole("link", { name: "Second server" }).click();
		await page.getByRole("button", { name: "Check now" }).click();
		await page.getByRole("alert").getByText("The check failed").waitFor();

		await page.getByRole("button", { name: "Change", exact: true }).click();
		expect(await form.getByLabel("Server", { exact: true }).inputValue()).toBe("");
		await form.getByLabel("Server", { exact: true }).fill("localhost");
		await form.getByLabel("Port", { exact: true }).fill(String(stand.smtpPort));
		await form.getByLabel("Encryption").selectOption({ label: "None: only in the platform’s own network" });
		await form.getByRole("button", { name: "Save" }).click();
		await page.getByText("Second server was changed.").waitFor();
		await page.getByRole("button", { name: "Check now" }).click();
		await page.getByText("The service accepts the credentials.").waitFor();
		const address = page.url();
		await switchProvider(page, "sandbox");
		await sendsMail();
		await expect
			.poll(async () => {
				await page.goto(address);
				await heading(page, "Second server").waitFor();
				await page.waitForLoadState("networkidle");
				return page.getByText(/^Answered: [1-9]/).count();
			}, patience)
			.toBe(1);
		await page.getByText("Show by the minute").click();
		await page.getByRole("table", { name: "The last hour" }).waitFor();
		await page.getByRole("button", { name: "Issue a new address" }).click();
		await confirmByName(page, "Second server", "Issue a new address");
		await expect
			.poll(() => page.getByLabel("Address for reports").inputValue(), patience)
			.toMatch(/\/webhooks\/[0-9a-f-]+\?token=./);
		await switchProvider(page, "sandbox");
		await openPath(page, new URL(address).pathname);
		await page.getByRole("button", { name: "Remove" }).click();
		await confirmByName(page, "Second server", "Remove");
		await page.getByText("Second server was removed.").waitFor();
		await heading(page, "Message providers").waitFor();
		expect(await page.getByRole("link", { name: "Second server" }).count()).toBe(0);
	}));

test("an administrator adds a provider of e-mail only with an address that mail comes from", () =>
	stand.visit(async (page) => {
		await enter(page, at("/uhai"), { email: "admin@uhai.example" });
		await page.getByRole("link", { name: "Providers", exact: true }).click();
		await heading(page, "Providers").waitFor();
		await page.getByRole("button", { name: "Add a provider" }).click();
		const form = question(page);
		const sender = form.getByLabel("Sender’s address");
		await form.getByLabel("Service").selectOption({ label: "Postmark" });
		await form.getByLabel("Name", { exact: true }).fill("Own mail");
		await form.getByLabel("Server token").fill("token");
		await form.getByLabel("Use this provider").click();
		const refusals = [
			["", "This field is required: Sender’s address."],
			["info@localhost", "Sender’s address: enter one e-mail address"],
		] as const;
		for (const [address, refusal] of refusals) {
			await sender.fill(address);
			await form.getByRole("button", { name: "Add a provider" }).click();
			await form.getByRole("alert").getByText(refusal).waitFor();
			expect(await sender.getAttribute("aria-invalid")).toBe("true");
		}
		await sender.fill("info@uhai.example");
		await form.getByRole("button", { name: "Add a provider" }).click();
		await page.getByText("Own mail was added.").waitFor();
		await page.getByRole("link", { name: "Own mail" }).click();
		await page.getByText("info@uhai.example").waitFor();
		await page.getByRole("button", { name: "Remove" }).click();
		await confirmByName(page, "Own mail", "Remove");
		await page.getByText("Own mail was removed.").waitFor();
	}));

test("an organisation's e-mail is paused with a reason and resumed; its limits are changed", () =>
	inPage("Deliverability", async (page) => {
		await page.getByRole("searchbox").fill("KAHAWA");
		await expect.poll(() => page.getByRole("row").count(), patience).toBe(2);
		await page.getByRole("link", { name: "Kahawa Café" }).click();
		await heading(page, "Kahawa Café").waitFor();
		await page.getByRole("button", { name: "Pause e-mail" }).click();
		const form = question(page);
		await form.getByRole("button", { name: "Pause e-mail" }).click();
		await form.getByRole("alert").getByText("Enter a reason.").waitFor();
		await form.getByLabel("Reason").fill("Complaints by telephone");
		await form.getByRole("button", { name: "Pause e-mail" }).click();
		await page.getByText("E-mail of Kahawa Café is paused.").waitFor();
		await page.getByText("Complaints by telephone").waitFor();
		await openPath(page, "/lango/platform/deliverability?state=paused");
		await page.getByRole("row", { name: /Kahawa Café.*Paused/ }).waitFor();
		await page.getByRole("link", { name: "Kahawa Café" }).click();
		await page.getByRole("button", { name: "Resume e-mail" }).click();
		await form.getByLabel("Reason").fill("The list was cleaned");
		await form.getByRole("button", { name: "Resume e-mail" }).click();
		await page.getByText("E-mail of Kahawa Café is sent again.").waitFor();
		await page.getByRole("button", { name: "Pause e-mail" }).waitFor();

		await page.getByLabel("E-mail, per minute").fill("0");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("alert").getByText("E-mail, per minute: enter a whole number").waitFor();
		await page.getByLabel("E-mail, per minute").fill("900");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("The limits were saved.").waitFor();
		await page.getByText("At most 900 per minute").waitFor();
		await page.getByRole("button", { name: "Reset all" }).click();
		await question(page).getByRole("button", { name: "Reset all" }).click();
		await page.getByText("The limits were reset.").waitFor();
	}));

test("the owner changes the default limits of every organisation", () =>
	inPage("Limits", async (page) => {
		await page.getByText("an organisation without limits of its own").waitFor();
		const perMinute = page.getByLabel("SMS, per minute");
		const before = await perMinute.inputValue();
		for (const value of ["310", before]) {
			await perMinute.fill(value);
			await page.getByRole("button", { name: "Save" }).click();
			await page.getByText("The limits were saved.").waitFor();
			await page.getByText("The limits were saved.").waitFor({ state: "hidden" });
		}
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("alert").getByText("No limit differs").waitFor();
	}));

test("an administrator lowers the limits, and sees why the platform's cannot be raised", () =>
	stand.visit(async (page) => {
		await enter(page, at("/uhai"), { email: "admin@uhai.example" });
		await page.getByRole("link", { name: "Limits", exact: true }).click();
		await heading(page, "Limits").waitFor();
		await page.getByLabel("SMS, at once").fill("999999");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("alert").getByText("Only the platform owner can raise it.").waitFor();
		await expect.poll(() => page.getByLabel("SMS, at once").inputValue(), patience).toBe("999999");
		await page.getByLabel("SMS, at once").fill("100");
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByText("The limits were saved.").waitFor();
		await page.getByRole("button", { name: "Save" }).click();
		await page.getByRole("alert").getByText("No limit differs").waitFor();
		await page.getByRole("button", { name: "Reset all" }).click();
		await question(page).getByRole("button", { name: "Reset all" }).click();
		await page.getByText("The limits were reset.").waitFor();
		await page.getByRole("link", { name: "Providers", exact: true }).click();
		await page.getByRole("link", { name: "sandbox", exact: true }).click();
		await page.getByText("This provider belongs to the platform.").waitFor();
		expect(await page.getByRole("button", { name: "Change", exact: true }).count()).toBe(0);
	}));
