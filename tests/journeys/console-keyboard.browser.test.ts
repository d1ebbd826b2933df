import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { registerTenant } from "./console-tenant.ts";
import { enter, heading, openPath, openSharedConsole, type SharedConsole } from "./console-visit.ts";
import { pressByKey as press, tabTo, type } from "./keyboard.ts";
import { mailTo } from "./sandbox-inbox.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

test("a person signs in, invites somebody, who accepts, and requests a payment by the keyboard alone", async () => {
	const tenant = await registerTenant(stand, { plan: "GROWTH" });
	await stand.visit(async (page) => {
		const link = (name: string) => page.getByRole("link", { name, exact: true });
		const dialog = page.getByRole("dialog");
		await page.goto(`${stand.urls.console}/${tenant.slug}`);
		await type(page, page.getByLabel("E-mail address"), tenant.email);
		await type(page, page.getByLabel("Password", { exact: true }), "Karibu-2026!");
		await page.keyboard.press("Enter");
		await heading(page, "Overview").waitFor();

		await press(page, link("People"));
		await heading(page, "People").waitFor();
		await press(page, button(page, "Invite"));
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
		await press(page, button(page, "Request payment"));
		await type(page, dialog.getByLabel("Amount in KES"), "1500");
		await type(page, dialog.getByLabel("What it is for"), "Invoice 17");
		await press(page, dialog.getByRole("button", { name: "Request", exact: true }));
		await heading(page, "Invoice 17").waitFor();
		await type(page, page.getByLabel("E-mail address for the receipt"), "amina@example.com");
		await press(page, button(page, "Pay by card or bank"));
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

test("a person requests to join and is approved, both by the keyboard alone", async () => {
	const tenant = await registerTenant(stand, { plan: "STARTER" });
	await stand.visit(async (page) => {
		await page.goto(`${stand.urls.accounts}/register?tenant=${tenant.slug}`);
		await type(page, page.getByLabel("Your name"), "Baraka Okoth");
		await type(page, page.getByLabel("E-mail address"), `baraka@${tenant.slug}.example`);
		await type(page, page.getByLabel("Password", { exact: true }), "tatu nne tano");
		await page.keyboard.press("Enter");
		await press(page, button(page, "Register"));
		await heading(page, "Waiting for approval").waitFor();
	});
	await stand.visit(async (page) => {
		await enter(page, `${stand.urls.console}/${tenant.slug}`, tenant);
		await press(page, page.getByRole("link", { name: "People", exact: true }));
		await press(page, page.getByRole("link", { name: "Join requests 1 waiting" }));
		await press(page, button(page, "Approve Baraka Okoth"));
		await tabTo(page, page.getByRole("dialog").getByRole("checkbox", { name: /^Cashier/ }));
		await page.keyboard.press("Space");
		await press(page, page.getByRole("dialog").getByRole("button", { name: "Approve" }));
		await page.getByText("Baraka Okoth was approved.").waitFor();
	});
});

test("a forgotten password is replaced by the keyboard alone, and signs in", async () => {
	const { email } = await registerTenant(stand);
	await stand.visit(async (page) => {
		await page.goto(`${stand.urls.accounts}/forgot-password`);
		await type(page, page.getByLabel("E-mail address"), email);
		await page.keyboard.press("Enter");
		await page.getByText(`If ${email} is registered, a link was sent to it.`).waitFor();
		const { links } = await mailTo(stand, email, "reset the password");
		await page.goto(links.find((one) => one.includes("/reset-password#token=")) ?? "");
		await type(page, page.getByLabel("New password"), "tatu nne tano");
		await page.keyboard.press("Enter");
		await page.getByText("Your new password is set. Sign in with it.").waitFor();
		await type(page, page.getByLabel("E-mail address"), email);
		await type(page, page.getByLabel("Password", { exact: true }), "tatu nne tano");
		await page.keyboard.press("Enter");
		await page.getByRole("link", { name: "Your profile" }).waitFor();
	});
});

test("a role is made and changed, and a template is edited and published, by the keyboard alone", async () => {
	const tenant = await registerTenant(stand, { plan: "GROWTH" });
	await stand.visit(async (page) => {
		await enter(page, `${stand.urls.console}/${tenant.slug}`, tenant);
		await makeRole(page);
		await publish(page);
	});
});

async function makeRole(page: Page): Promise<void> {
	const dialog = page.getByRole("dialog");
	const permit = async (words: string, name: RegExp) => {
		await type(page, dialog.getByRole("searchbox"), words);
		await tabTo(page, dialog.getByRole("checkbox", { name }));
		await page.keyboard.press("Space");
	};
	await press(page, page.getByRole("link", { name: "Roles in services" }));
	await press(page, page.getByRole("link", { name: "Roles and people of Ordering" }));
	await press(page, button(page, "Create a role"));
	await type(page, dialog.getByLabel("Name"), "Night cashier");
	await permit("settings", /^Settings: see/);
	await press(page, dialog.getByRole("button", { name: "Create a role" }));
	await press(page, page.getByRole("link", { name: "Open the role Night cashier" }));
	await press(page, button(page, "Change"));
	await permit("audit", /^Audit log: see/);
	await press(page, dialog.getByRole("button", { name: "Save" }));
	await page.getByText("The role Night cashier was changed.").waitFor();
}

async function publish(page: Page): Promise<void> {
	await press(page, page.getByRole("link", { name: "Templates", exact: true }));
	await type(page, page.getByLabel("Search templates"), "generic");
	await page.getByRole("link", { name: "cafe/cafe_contact_form" }).waitFor({ state: "detached" });
	await press(page, page.getByRole("link", { name: "shared/generic_notification" }));
	await type(page, page.getByLabel("Subject", { exact: true }), "News: {{ title }}");
	await tabTo(page, page.getByRole("textbox", { name: /^Text \(/ }));
	await page.keyboard.press("ControlOrMeta+a");
	await page.keyboard.type("<mj-text>{{ message }}</mj-text>");
	await press(page, button(page, "Save the draft"));
	await page.getByText("The draft is saved.", { exact: true }).waitFor();
	await press(page, button(page, "Publish"));
	await press(page, page.getByRole("dialog").getByRole("button", { name: "Publish", exact: true }));
	await page.getByText("shared/generic_notification is published.").waitFor();
}
