import { inTenant } from "@lango/postgres";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { inDatabaseOf } from "./console-owner-visit.ts";
import { tokenOf } from "./console-people-visit.ts";
import { type ConsoleTenant, registerTenant } from "./console-tenant.ts";
import {
	expectNoFaults,
	faultsInThemes,
	heading,
	openPath,
	openSharedConsole,
	type SharedConsole,
	signIn,
} from "./console-visit.ts";

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const dialog = (page: Page) => page.getByRole("dialog");
const channel = (page: Page, name: string) =>
	page.getByRole("group", { name: "Operations" }).getByLabel(name);
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

/** The administrator changes a default of everybody, which is in force for themselves, too. */
async function changeDefaults(page: Page): Promise<void> {
	await channel(page, "SMS").uncheck();
	await save(page);
	await page.getByText("The defaults are saved.").waitFor();
	await expectNoFaults(page);
	await channel(page, "SMS").waitFor();
	expect(await channel(page, "SMS").isChecked()).toBe(false);
}

/** The person switches a category off, chooses a language and quiet hours, with every mistake first. */
async function changeOwn(page: Page): Promise<void> {
	await channel(page, "SMS").waitFor();
	expect(await channel(page, "SMS").isChecked(), "as the default").toBe(false);
	await channel(page, "E-mail").uncheck();
	await page.getByLabel("Language of messages").selectOption("sw-KE");
	await page.getByLabel("Time zone").selectOption("Africa/Kampala");
	await page.getByLabel("Quiet from").fill("22:00");
	await save(page);
	await page.getByRole("alert").getByText("Enter when the quiet hours begin and end").waitFor();
	await page.getByLabel("Quiet until").fill("22:00");
	await save(page);
	await page.getByRole("alert").getByText("Quiet hours must end at another time than they begin.").waitFor();
	await page.getByLabel("Quiet until").fill("06:00");
	await save(page);
	await page.getByText("Your preferences are saved.").waitFor();
	await page.reload();
	await channel(page, "E-mail").waitFor();
	expect(await channel(page, "E-mail").isChecked()).toBe(false);
	const values = ["Language of messages", "Time zone", "Quiet from", "Quiet until"].map((label) =>
		page.getByLabel(label).inputValue(),
	);
	expect(await Promise.all(values)).toEqual(["sw-KE", "Africa/Kampala", "22:00", "06:00"]);
}

type Item = { id: number };
/** The newest of so many codes that the sandbox received for an address. */
async function codeOf(address: string, count: number): Promise<string> {
	const inbox = `${stand.urls["messages-sandbox"]}/api/messages`;
	const sent = async () => {
		const answer = await fetch(`${inbox}?to=${encodeURIComponent(address)}`);
		return ((await answer.json()) as { items: Item[] }).items;
	};
	await expect.poll(async () => (await sent()).length, patience).toBe(count);
	const ids = (await sent()).map(({ id }) => id);
	const mail = (await (await fetch(`${inbox}/${Math.max(...ids)}`)).json()) as { text: string };
	const code = /\b\d{6}\b/.exec(mail.text)?.[0];
	if (code === undefined) throw new Error(`the mail has no code: ${mail.text}`);
	return code;
}

/** Adds an address, and has its code sent. */
async function sendCode(page: Page, address: string): Promise<void> {
	await page.getByRole("button", { name: "Add an address" }).click();
	await dialog(page).getByLabel("Address").fill(address);
	await dialog(page).getByRole("button", { name: "Send the code" }).click();
	await expect.poll(() => dialog(page).count(), patience).toBe(0);
}

/** A code is refused when it is wrong, tried too often, or too old; the right one proves the address. */
async function proveAddress(page: Page, { id }: ConsoleTenant, address: string): Promise<void> {
	const send = dialog(page).getByRole("button", { name: "Send the code" });
	await page.getByRole("button", { name: "Add an address" }).click();
	for (const [text, says] of [
		["", "Enter the address."],
		["nothing", "This is not a valid address for the channel"],
	] as const) {
		await dialog(page).getByLabel("Address").fill(text);
		await send.click();
		await dialog(page).getByRole("alert").getByText(says).waitFor();
	}
	await dialog(page).getByRole("button", { name: "Cancel" }).click();
	const enter = async (code: string) => {
		await dialog(page).getByLabel("Code").fill(code);
		const answered = page.waitForResponse((answer) => answer.url().endsWith("/verify"));
		await dialog(page).getByRole("button", { name: "Verify" }).click();
		await answered;
	};
	const alert = dialog(page).getByRole("alert");
	const enterCode = page.getByRole("button", { name: /^Enter the code/ });

	await sendCode(page, address);
	await page.getByText("Waits for its code").waitFor();
	const first = await codeOf(address, 1);
	const wrong = first === "000000" ? "111111" : "000000";
	await enterCode.click();
	await dialog(page).getByLabel("Code").fill("12");
	await dialog(page).getByRole("button", { name: "Verify" }).click();
	await alert.getByText("Enter the six digits of the code.").waitFor();
	for (let tried = 0; tried < 5; tried++) await enter(wrong);
	await alert.getByText("The code is wrong").waitFor();
	await enter(first);
	await alert.getByText("tried too often. Add the address again to get another one.").waitFor();
	await dialog(page).getByRole("button", { name: "Cancel" }).click();

	await sendCode(page, address);
	const second = await codeOf(address, 2);
	await inDatabaseOf(stand, "notifications", (db) =>
		inTenant(db, id, (tx) => tx.query("update contact_codes set sent_at = sent_at - interval '11 minutes'")),
	);
	await enterCode.click();
	await enter(second);
	await alert.getByText("older than 10 minutes").waitFor();
	expect(await faultsInThemes(page), "dialog").toEqual([]);
	await dialog(page).getByRole("button", { name: "Cancel" }).click();

	await sendCode(page, address);
	const third = await codeOf(address, 3);
	await enterCode.click();
	await enter(third);
	await page.getByText("Verified", { exact: true }).waitFor();
	expect(await enterCode.count()).toBe(0);
}

/** Registers a device of the administrator as an app does; returns the administrator's id. */
async function registerDevice({ slug, email }: ConsoleTenant): Promise<string> {
	const token = await tokenOf(stand, email);
	const answer = await fetch(`${stand.urls.notifications}/api/v1/${slug}/notifications/devices`, {
		method: "POST",
		headers: {
			authorization: `Bearer ${token}`,
			"content-type": "application/json",
		},
		body: JSON.stringify({ platform: "android", token: `${slug}:${"x".repeat(140)}` }),
	});
	if (!answer.ok) throw new Error(`the device is not registered: ${await answer.text()}`);
	return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()).sub;
}

const alertTo = (userId: string) => ({
	...{ channel: "email", template: "shared/system_alert", to: [`user:${userId}`] },
	data: {
		...{ name: "Amina", alert_title: "Scale 2", alert_message: "No weights.", severity: "warning" },
		action_link: "https://lango.example/scales",
	},
});

test("defaults, preferences, addresses and devices are kept as a person leaves them, and messages follow them", async () => {
	const tenant = await registerTenant(stand, { plan: "STARTER" });
	const inTenantAt = (path: string) => `/${tenant.slug}/${path}`;
	await stand.visit(async (page) => {
		await page.goto(`${stand.urls.console}${inTenantAt("preference-defaults")}`);
		await signIn(page, tenant.email);
		await changeDefaults(page);
		await openPath(page, inTenantAt("preferences"));
		await changeOwn(page);
		await proveAddress(page, tenant, `private@${tenant.slug}.example`);

		const userId = await registerDevice(tenant);
		await page.reload();
		await page.getByText("Android phone").waitFor();
		await expectNoFaults(page);
		await page.getByRole("button", { name: /^Remove the device/ }).click();
		await dialog(page).getByRole("button", { name: "Remove" }).click();
		await page.getByText("You have no devices.").waitFor();
		await page.getByRole("button", { name: /^Remove p/ }).click();
		await dialog(page).getByRole("button", { name: "Remove" }).click();
		await page.getByText("You have no further addresses.").waitFor();

		await tenant.sends(alertTo(userId));
		await openPath(page, inTenantAt("messages"));
		await page.getByRole("main").getByRole("table").getByRole("link").first().click();
		await heading(page, "shared/system_alert").waitFor();
		await page.getByRole("main").getByRole("table").getByRole("link").first().click();
		await page.getByText("The recipient does not want messages of this category on this channel.").waitFor();
		await openPath(page, inTenantAt("preferences"));
		await page.getByRole("button", { name: "Reset all" }).click();
		await dialog(page).getByRole("button", { name: "Reset all" }).click();
		await expect.poll(() => channel(page, "E-mail").isChecked(), patience).toBe(true);
		expect(await channel(page, "SMS").isChecked(), "as the default").toBe(false);
	});
});
