import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { registerTenant } from "./console-tenant.ts";
import { enter, heading, openPath, openSharedConsole, type SharedConsole } from "./console-visit.ts";
import { pressByKey as press, tabTo, typeByKey as type } from "./keyboard.ts";
import { mailTo } from "./sandbox-inbox.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

test("a person signs in, invites somebody, who accepts, and requests a payment by the keyboard alone", async () => {
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
		const guest = `amina@${tenant.slug}.example`;
		await type(page, dialog.getByLabel("E-mail address"), guest);
		await tabTo(page, dialog.getByRole("checkbox", { name: /^Cashier/ }));
		await page.keyboard.press("Space");
		await press(page, dialog.getByRole("button", { name: "Send invitation" }));
		await press(
			page,
			page.getByRole("dialog", { name: "Invitation sent" }).getByRole("button", { name: "Close" }),
		);
		await expect.poll(() => dialog.count(), patience).toBe(0);

		const { links } = await mailTo(stand, guest, "invite");
		await stand.visit((other) => accept(other, links.find((one) => one.includes("#invitation=")) ?? ""));

		await press(page, link("Payments"));
		await press(page, button("Request payment"));
		await type(page, dialog.getByLabel("Amount in KES"), "1500");
		await type(page, dialog.getByLabel("What it is for"), "Invoice 17");
		await press(page, dialog.getByRole("button", { name: "Request", exact: true }));
		await heading(page, "Invoice 17").waitFor();
		await type(page, page.getByLabel("E-mail address for the receipt"), "amina@example.com");
		await press(page, button("Pay by card or bank"));
		await page.getByRole("button", { name: "Pay KES 1,500.00" }).waitFor();
	});
});

async function accept(page: Page, link: string): Promise<void> {
	await page.goto(link);
	await type(page, page.getByLabel("Your name"), "Amina Otieno");
	await type(page, page.getByLabel("Password", { exact: true }), "tatu nne tano");
	await press(page, page.getByRole("button", { name: "Register and accept" }));
	await heading(page, "Overview").waitFor();
}

test("a plan is changed by the keyboard alone, also where something is lost", async () => {
	const tenant = await registerTenant(stand);
	await tenant.paysFor("GROWTH");
	await stand.visit(async (page) => {
		await enter(page, `${stand.urls.console}/${tenant.slug}`, tenant);
		await openPath(page, `/${tenant.slug}/subscribe`);
		await press(page, page.getByRole("link", { name: "Downgrade to Starter", exact: true }));
		await tabTo(page, page.getByLabel("I understand what we will lose"));
		await page.keyboard.press("Space");
		await press(page, page.getByRole("main").getByRole("button", { name: /^Change on/ }));
		await page.getByText(/^Your plan changes to Starter on /).waitFor();
	});
});
