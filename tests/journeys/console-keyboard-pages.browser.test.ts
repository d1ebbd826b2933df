import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { letJobsDie, letOneWait } from "./console-owner-visit.ts";
import { askToJoin, tokenOf } from "./console-people-visit.ts";
import { type ConsoleTenant, registerTenant } from "./console-tenant.ts";
import { enter, heading, openSharedConsole, type SharedConsole } from "./console-visit.ts";
import {
	check,
	choose,
	confirm,
	dialogOf,
	follow,
	isFocused,
	label,
	press,
	pressByKey,
	said,
	select,
	tabTo,
	type,
} from "./keyboard.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});

/** Opens the overview of a tenant of its own with the plan that has everything of this file. */
async function visit(look: (page: Page, tenant: ConsoleTenant) => Promise<void>): Promise<void> {
	const tenant = await registerTenant(stand, { plan: "GROWTH" });
	await stand.visit(async (page) => {
		await enter(page, `${stand.urls.console}/${tenant.slug}`, tenant);
		await look(page, tenant);
	});
}

/** Calls a service as a person. Throws when it refuses. */
async function call(token: string, address: string, body?: object): Promise<Record<string, unknown>> {
	const answer = await fetch(address, {
		headers: {
			authorization: `Bearer ${token}`,
			...(body !== undefined && { "content-type": "application/json" }),
		},
		...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
	});
	const text = await answer.text();
	if (!answer.ok) throw new Error(`${address} answered ${answer.status}: ${text}`);
	return text === "" ? {} : JSON.parse(text);
}

/** Invites somebody as the administrator of a tenant. Returns the token of the invitation. */
async function invite({ email: owner, slug }: ConsoleTenant, email: string): Promise<unknown> {
	const invitations = `${stand.urls.auth}/api/v1/tenants/${slug}/invitations`;
	return (await call(await tokenOf(stand, owner), invitations, { email, roles: ["viewer"] }))["token"];
}

test("people are approved, declined, changed and removed, and an invitation withdrawn, by the keyboard alone", () =>
	visit(async (page, tenant) => {
		const [first, second] = [`Wanjiru ${tenant.slug}`, `Juma ${tenant.slug}`];
		for (const name of [first, second]) await askToJoin(stand, tenant.slug, name);
		await follow(page, "People");
		await follow(page, "Join requests 2 waiting");
		await press(page, `Approve ${first}`);
		await check(page, dialogOf(page).getByRole("checkbox", { name: /^Cashier/ }));
		await confirm(page, "Approve");
		await said(page, `${first} was approved.`);
		// Its row is gone: the same button of the next row has the focus.
		await isFocused(page, `Approve ${second}`);
		await press(page, `Decline ${second}`);
		await confirm(page, "Decline");
		await said(page, "There are no join requests.");
		await isFocused(page, "People");

		await follow(page, "Members");
		await press(page, `Change ${first}`);
		await check(page, dialogOf(page).getByRole("checkbox", { name: /^Viewer/ }));
		await confirm(page, "Save");
		await said(page, `${first} was changed.`);
		await isFocused(page, `Change ${first}`);
		await press(page, `Remove ${first}`);
		await confirm(page, "Remove");
		await said(page, `${first} was removed.`);

		for (const guest of ["a", "b"]) await invite(tenant, `${guest}@${tenant.slug}.example`);
		await follow(page, "Invitations");
		await select(page, label(page, "Status"), "Open");
		await press(page, `Withdraw the invitation of a@${tenant.slug}.example`);
		await confirm(page, "Withdraw");
		await said(page, /^The invitation of .* was withdrawn\./);
		await isFocused(page, `Withdraw the invitation of b@${tenant.slug}.example`);
	}));

test("an outlet is opened, changed, archived and restored by the keyboard alone", () =>
	visit(async (page) => {
		await follow(page, "Outlets");
		await press(page, "Open an outlet");
		await type(page, dialogOf(page).getByLabel("Name"), "Westlands");
		await confirm(page, "Open an outlet");
		await said(page, "Westlands is open.");
		await press(page, "Change Westlands");
		await select(page, dialogOf(page).getByLabel("Status"), "Temporarily closed");
		await confirm(page, "Save");
		await said(page, "Westlands was changed.");
		await press(page, "Archive Westlands");
		await confirm(page, "Archive");
		await said(page, "Westlands was archived.");
		await select(page, label(page, "Show"), "Archived");
		await press(page, "Restore Westlands");
		await confirm(page, "Restore");
		await said(page, "Westlands is open again.");
		await type(page, page.getByRole("searchbox"), "nothing");
		await said(page, "No results.");
		await press(page, "Remove filters");
		await page.getByRole("row").nth(1).waitFor();
	}));

test("a role is assigned and revoked, and an API key created and revoked, by the keyboard alone", () =>
	visit(async (page, tenant) => {
		const service = `${stand.urls.notifications}/api/v1/${tenant.slug}/notifications`;
		const member = {
			...{ name: "Zuri Hassan", email: `zuri@${tenant.slug}.example`, password: "Karibu-2026!" },
			...{ org_action: "join_existing", invitation: await invite(tenant, `zuri@${tenant.slug}.example`) },
		};
		await call("", `${stand.urls.auth}/api/v1/auth/register`, member);
		// A service knows a user from the first visit.
		await call(await tokenOf(stand, member.email), `${service}/auth/me`);
		await call(await tokenOf(stand, tenant.email), `${service}/roles`, {
			code: "night_writer",
			permissions: [],
		});
		await follow(page, "Roles in services");
		await follow(page, "Roles and people of Notifications");
		await follow(page, /^Open the role night.writer/i);
		await press(page, "Assign");
		await choose(page, dialogOf(page).getByRole("radio", { name: /^Zuri/ }));
		await confirm(page, "Assign");
		await said(page, /has the role/);
		await press(page, /^Revoke from/);
		await confirm(page, "Revoke");
		await said(page, "This role is not assigned to anyone.");
		await press(page, "Delete");
		await confirm(page, "Delete");
		await heading(page, "Roles: Notifications").waitFor();

		await follow(page, "API keys");
		await press(page, "Create a key");
		await type(page, dialogOf(page).getByLabel("Name"), "Kitchen");
		await check(page, dialogOf(page).getByRole("checkbox", { name: /^Settings: see/ }));
		await confirm(page, "Create a key");
		await page.getByRole("textbox", { name: "API key" }).waitFor();
		await press(page, "Revoke Kitchen");
		await type(page, dialogOf(page).getByRole("textbox", { name: /^To confirm/ }), "Kitchen");
		await confirm(page, "Revoke");
		await said(page, "The key Kitchen was revoked.");
		await tabTo(page, page.getByRole("button", { name: "Create a key" }));
	}));

test("the audit log is filtered, read in detail and turned to its next page by the keyboard alone", () =>
	visit(async (page, tenant) => {
		const roles = `${stand.urls.notifications}/api/v1/${tenant.slug}/notifications/roles`;
		const token = await tokenOf(stand, tenant.email);
		for (let number = 0; number < 55; number += 1)
			await call(token, roles, { code: `writer_${number}`, permissions: [] });
		await follow(page, "Audit log");
		await select(page, label(page, "Where"), "Notifications");
		await pressByKey(page, page.getByRole("button", { name: /^Details: A role was created/ }).first());
		await confirm(page, "Close");
		await isFocused(page, /^Details: A role was created/);
		await pressByKey(page, page.getByRole("button", { name: "Show only: You" }).first());
		await said(page, /^1–50/);
		// Each of the 50 rows has two controls.
		await pressByKey(page, page.getByRole("button", { name: "Next page" }), 110);
		await said(page, /^51–/);
		await pressByKey(page, page.getByRole("button", { name: /^Details: A role was created/ }).first());
		await page.keyboard.press("Escape");
		await press(page, "Previous page");
		await said(page, /^1–50/);
		await press(page, "Remove filters");
		await expect.poll(() => new URL(page.url()).search, patience).toBe("");
	}));

test("failed events and jobs are read, tried again and discarded by the keyboard alone", async () => {
	await letOneWait(stand);
	await letJobsDie(stand, ["no disk", "no memory"]);
	await stand.visit(async (page) => {
		await enter(page, `${stand.urls.console}/lango`, { email: "root@lango.example" });
		await follow(page, "Failed events and jobs");
		for (const left of [1, 0]) {
			await pressByKey(page, page.getByRole("button", { name: "Retry: sessions.purge" }).first());
			await confirm(page, "Retry");
			await expect
				.poll(() => page.getByRole("button", { name: "Retry: sessions.purge" }).count(), patience)
				.toBe(left);
		}
		await said(page, "There are no failed jobs.");

		await follow(page, /^Hospital/);
		await pressByKey(page, page.getByText("Show the event"));
		await said(page, '"data"');
		await press(page, "Discard: tenant.created");
		await type(page, dialogOf(page).getByRole("textbox", { name: /^To confirm/ }), "tenant.created");
		await confirm(page, "Discard event");
		await said(page, "There are no failed events.");
		await isFocused(page, "Failed events and jobs");
		await follow(page, /^Sign-in/);
	});
});

test("a plan is tried, changed, paid for, cancelled and resumed, and an add-on and a billing method are set, by the keyboard alone", async () => {
	const tenant = await registerTenant(stand);
	await stand.visit(async (page) => {
		await page.goto(`${stand.urls.console}/${tenant.slug}/subscribe`);
		await type(page, page.getByLabel("E-mail address"), tenant.email);
		await type(page, label(page, "Password"), "Karibu-2026!");
		await page.keyboard.press("Enter");
		await press(page, "Try Starter");
		await said(page, "Your free trial of Starter has started");
		await press(page, "Switch to Growth");
		await confirm(page, "Switch to Growth");
		await said(page, "You now have Growth until the trial ends.");
		await follow(page, "Pay for Growth");
		await press(page, /^Pay Ksh/);
		await said(page, "Ksh 4,500.00 for Growth was paid. Thank you.");
		await press(page, "Dismiss");
		await press(page, "Cancel subscription");
		await confirm(page, "Cancel subscription");
		await said(page, /^The subscription is cancelled and ends on/);
		await press(page, "Resume subscription");
		await said(page, "The subscription was resumed.");
		await follow(page, "Add Point of sale");
		await press(page, /^Pay Ksh/);
		await said(page, "was paid. Thank you.");
		await follow(page, "Remove Point of sale");
		await check(page, label(page, "I understand what we will lose"));
		await press(page, /^Change on/);
		await said(page, /^Your add-ons change on/);
		await press(page, "Withdraw change");
		await confirm(page, "Withdraw change");
		await said(page, "The change was withdrawn.");

		await follow(page, "Bills");
		await choose(page, page.getByRole("radio", { name: "A phone is asked to pay" }));
		await type(page, label(page, "Phone that is asked"), "12");
		await press(page, "Save");
		await page.getByRole("alert").getByText("Enter the number of the phone that is asked.").waitFor();
		await type(page, label(page, "Phone that is asked"), "0712 345 679");
		await press(page, "Save");
		await said(page, "The method is saved.");
		// The form was made again with what is stored.
		await isFocused(page, "Save");
	});
});

test("notification preferences and a rule are made, changed and removed by the keyboard alone", () =>
	visit(async (page, tenant) => {
		await follow(page, "Preferences");
		await check(page, page.getByRole("group", { name: "Operations" }).getByLabel("SMS"));
		await press(page, "Save");
		await said(page, "Your preferences are saved.");
		await press(page, "Add an address");
		await type(page, dialogOf(page).getByLabel("Address"), `private@${tenant.slug}.example`);
		await confirm(page, "Send the code");
		await said(page, "Waits for its code");
		await press(page, /^Remove p/);
		await confirm(page, "Remove");
		await said(page, "You have no further addresses.");
		await makeRule(page);
	}));

/** Makes a rule for messages, switches it off and deletes it. */
async function makeRule(page: Page): Promise<void> {
	await follow(page, "Message rules");
	await follow(page, "New rule");
	await type(page, label(page, "Name of the rule"), "Stock is low");
	await select(page, label(page, "Event"), "An event of your own programs");
	await type(page, label(page, "Name of the event"), "custom.low");
	await select(page, label(page, "Template"), "shared/generic_notification");
	await check(page, page.getByRole("group", { name: /^Channels/ }).getByLabel("E-mail"));
	await check(page, label(page, "The e-mail address in the event"));
	await type(page, label(page, "Place of title in the event"), "title");
	for (const variable of ["message", "action_link"]) {
		await select(page, label(page, `${variable} is filled with`), "A fixed text");
		await type(page, label(page, `Text of ${variable}`), "https://uhai.example/stock");
	}
	await press(page, "Add a condition");
	await type(page, label(page, "Place in the event"), "event.left");
	await type(page, label(page, "Value"), "5");
	await press(page, /^Remove the condition|^Remove condition/);
	await press(page, "Create the rule");
	await said(page, "“Stock is low” was created.");
	await press(page, "Switch off");
	await confirm(page, "Switch off");
	await said(page, "“Stock is low” is switched off.");
	await press(page, "Delete");
	await type(page, dialogOf(page).getByRole("textbox", { name: /^To confirm/ }), "Stock is low");
	await confirm(page, "Delete");
	await heading(page, "Message rules").waitFor();
}
