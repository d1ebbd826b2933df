import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { type ConsoleStand, enter, heading, openConsole } from "./console-visit.ts";
import {
	choose,
	confirm,
	dialogOf,
	follow,
	isFocused,
	label,
	press,
	pressByKey,
	said,
	tabTo,
	type,
	typeName,
} from "./keyboard.ts";

let stand: ConsoleStand;
beforeAll(async () => {
	stand = await openConsole();
});
afterAll(() => stand?.close());

/** Opens one of the pages of the platform owner by the keyboard. */
const inPage = (name: string, look: (page: Page) => Promise<void>) =>
	stand.visit(async (page) => {
		await enter(page, `${stand.urls.console}/lango`, { email: "root@lango.example" });
		await follow(page, name);
		await heading(page, name).waitFor();
		await look(page);
	});

test("a plan is made, published after a mistake, and a version of it retired by the keyboard alone", () =>
	inPage("Plans and add-ons", async (page) => {
		await press(page, "Create a plan");
		await type(page, dialogOf(page).getByLabel("Name"), "Clinic");
		await type(page, dialogOf(page).getByLabel("Code"), "CLINIC");
		await type(page, dialogOf(page).getByLabel("Position in the list of plans"), "15");
		await confirm(page, "Create a plan");
		await heading(page, "Clinic").waitFor();
		await follow(page, "Create the next version");
		const publish = page.getByRole("button", { name: "Publish version 1", exact: true });
		await type(page, label(page, "Days of trial"), "30");
		await pressByKey(page, publish, 120);
		await page.getByRole("alert").first().waitFor();
		await expect.poll(() => label(page, "Price").and(page.locator(":focus")).count(), patience).toBe(1);
		await type(page, label(page, "Price"), "2500");
		await pressByKey(page, publish, 120);
		await typeName(page, "Clinic");
		// The dialog opens as often as it is asked for, and at once.
		for (const key of ["Escape", "Enter", "Escape"]) {
			await page.keyboard.press(key);
			await dialogOf(page).waitFor({ state: key === "Enter" ? "visible" : "hidden" });
		}
		await isFocused(page, "Publish version 1");
		await type(page, label(page, "Price"), "2600");
		await tabTo(page, page.getByLabel("Webhooks"));
		await page.keyboard.press("Space");
		await pressByKey(page, publish, 120);
		await typeName(page, "Clinic");
		await confirm(page, "Publish version 1");
		await said(page, "Version 1 is published and on offer.");
		await said(page, /^Ksh\s2,600(?:\.00)? a month$/);
		await said(page, "30 days of trial, 7 days of grace");
		await press(page, "Retire version 1");
		await typeName(page, "Clinic");
		await confirm(page, "Retire version");
		await said(page, "Version 1 is retired.");
		await pressByKey(page, page.getByRole("main").getByRole("link", { name: "Plans and add-ons" }));
		await page.getByRole("row", { name: /Clinic.*none of 1/ }).waitFor();
	}));

test("an organisation is found, suspended and reactivated by the keyboard alone", () =>
	inPage("Organisations", async (page) => {
		await type(page, page.getByRole("searchbox"), "KAHAWA");
		await expect.poll(() => page.getByRole("row").count(), patience).toBe(2);
		await follow(page, "Kahawa Café");
		await press(page, "Suspend");
		await confirm(page, "Cancel");
		await isFocused(page, "Suspend");
		await press(page, "Suspend");
		await confirm(page, "Suspend organisation");
		await said(page, "Kahawa Café was suspended.");
		await isFocused(page, "Reactivate");
		await press(page, "Reactivate");
		await confirm(page, "Reactivate organisation");
		await said(page, "Kahawa Café was reactivated.");
		await isFocused(page, "Suspend");
	}));

test("an organisation's subscription is extended and its values are set and taken back by the keyboard alone", () =>
	inPage("Organisations", async (page) => {
		await follow(page, "Uhai Hospital");
		await press(page, "Extend subscription");
		await type(page, dialogOf(page).getByLabel("Days"), "10");
		await type(page, dialogOf(page).getByLabel("Reason"), "The payment came by bank");
		await confirm(page, "Extend");
		await said(page, "The subscription was extended.");
		await isFocused(page, "Extend subscription");
		await follow(page, "Set overrides");
		await heading(page, "Set overrides").waitFor();
		await type(page, page.getByLabel("Riders"), "7");
		await type(page, label(page, "Reason"), "A pilot");
		await press(page, "Save overrides");
		await said(page, "1 value differs from the plan:");
		await press(page, "Remove overrides");
		await confirm(page, "Remove overrides");
		await said(page, "No overrides: the values of the plan apply.");
		await tabTo(page, page.getByRole("link", { name: "Set overrides", exact: true }));
	}));

test("an application is registered, given another secret and deleted by the keyboard alone", () =>
	inPage("Applications", async (page) => {
		await follow(page, "Register an application");
		await choose(page, page.getByRole("radio", { name: /^With a secret/ }));
		await type(page, label(page, "Identifier (client_id)"), "reports-server");
		await type(page, label(page, "Name"), "Reports");
		await press(page, "Register an application");
		await heading(page, "Reports is registered").waitFor();
		await tabTo(page, page.getByRole("textbox", { name: "Secret" }));
		await follow(page, "Open the application");
		await heading(page, "Reports").waitFor();
		await type(page, page.getByLabel("Redirect URIs"), "https://reports.example/auth/callback");
		await press(page, "Save settings");
		await said(page, "Settings saved.");
		await press(page, "Rotate secret");
		await typeName(page, "Reports");
		await confirm(page, "Rotate secret");
		await said(page, /It is shown only once\./);
		await isFocused(page, "Rotate secret");
		await tabTo(page, page.getByRole("textbox", { name: "Secret" }));
		await press(page, "Delete");
		await typeName(page, "Reports");
		await confirm(page, "Delete the application");
		await said(page, "Reports was deleted.");
		await heading(page, "Applications").waitFor();
		await follow(page, "Register an application");
	}));

test("signing keys are rotated, and one that is not used yet is revoked, by the keyboard alone", () =>
	inPage("Signing keys", async (page) => {
		const pending = page.getByRole("row").filter({ hasText: "Pending" }).getByRole("button");
		await press(page, "Rotate keys");
		await confirm(page, "Rotate keys");
		await said(page, /^New keys are published\. Rotate again in 11 minutes/);
		await isFocused(page, "Rotate keys");
		await expect.poll(() => pending.count(), patience).toBe(2);
		const name = (await pending.first().getAttribute("aria-label")) ?? "";
		await pressByKey(page, pending.first());
		await typeName(page, name.slice(-12));
		await confirm(page, "Revoke key");
		await said(page, /^The key .* was revoked\./);
		await tabTo(page, page.getByRole("button", { name: "Rotate keys", exact: true }));
	}));

test("a message provider is given another address for its reports, by its name, by the keyboard alone", () =>
	inPage("Message providers", async (page) => {
		await follow(page, "sandbox");
		await press(page, "Issue a new address");
		await typeName(page, "sandbox");
		await confirm(page, "Issue a new address");
		await tabTo(page, page.getByLabel("Address for reports"));
		await press(page, "Check now");
		await said(page, "The service accepts the credentials.");
	}));
