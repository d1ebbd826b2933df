import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { registerTenant } from "./console-tenant.ts";
import { heading, openSharedConsole, type SharedConsole } from "./console-visit.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

const pressesMax = 60;

/** Moves the focus by Tab until something has it, as a person does who cannot use a mouse. */
async function tabTo(page: Page, target: Locator): Promise<void> {
	await target.waitFor();
	const isFocused = async () => (await target.and(page.locator(":focus")).count()) > 0;
	for (let presses = 0; !(await isFocused()); presses += 1) {
		if (presses === pressesMax) throw new Error(`${target} is not reached by Tab.`);
		await page.keyboard.press("Tab");
	}
}

async function press(page: Page, target: Locator): Promise<void> {
	await tabTo(page, target);
	await page.keyboard.press("Enter");
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
	await tabTo(page, target);
	await page.keyboard.type(text);
}

test("a person signs in, invites somebody and asks for a payment by the keyboard alone", async () => {
	const tenant = await registerTenant(stand);
	await tenant.ask("POST", "", { plan: "GROWTH" });
	await stand.visit(async (page) => {
		const link = (name: string) => page.getByRole("link", { name, exact: true });
		const button = (name: string) => page.getByRole("button", { name, exact: true });
		const dialog = page.getByRole("dialog");
		await page.goto(`${stand.urls.console}/${tenant.slug}`);
		await type(page, page.getByLabel("E-mail address"), tenant.email);
		await type(page, page.getByLabel("Password", { exact: true }), "Karibu-2026!");
		await page.keyboard.press("Enter");
		await heading(page, "Overview").waitFor();

		await press(page, link("People"));
		await heading(page, "People").waitFor();
		await press(page, button("Invite"));
		await type(page, dialog.getByLabel("E-mail address"), "amina@example.com");
		await tabTo(page, dialog.getByRole("checkbox", { name: /^Cashier/ }));
		await page.keyboard.press("Space");
		await press(page, dialog.getByRole("button", { name: "Send invitation" }));
		await press(
			page,
			page.getByRole("dialog", { name: "Invitation sent" }).getByRole("button", { name: "Close" }),
		);
		await expect.poll(() => dialog.count(), patience).toBe(0);

		await press(page, link("Payments"));
		await press(page, button("Ask for a payment"));
		await type(page, dialog.getByLabel("Amount in KES"), "1500");
		await type(page, dialog.getByLabel("What it is for"), "Invoice 17");
		await press(page, dialog.getByRole("button", { name: "Ask for it" }));
		await heading(page, "Invoice 17").waitFor();
		await type(page, page.getByLabel("E-mail address for the receipt"), "amina@example.com");
		await press(page, button("Pay by card or bank"));
		await page.getByRole("button", { name: "Pay KES 1,500.00" }).waitFor();
	});
});
