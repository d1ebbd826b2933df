import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { open, tokenOf } from "./console-people-visit.ts";
import { enter, faultsInThemes, heading, openSharedConsole, type SharedConsole } from "./console-visit.ts";

const admin = { email: "admin@uhai.example", outlet: "All outlets" };

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const visit: SharedConsole["visit"] = (...args) => stand.visit(...args);
const at = (path: string) => `${stand.urls.console}${path}`;

test("an address is suppressed once, and the suppression is lifted; the filters of messages are in the address", () =>
	visit(async (page) => {
		const address = "No.Such.Box@example.com";
		await enter(page, at("/uhai"), admin);
		await open(page, "Suppressed addresses");
		const add = page.getByRole("button", { name: "Suppress an address" });
		const send = page.getByRole("dialog").getByRole("button", { name: "Suppress an address" });
		await add.click();
		await send.click();
		await page.getByText("Enter the address.").waitFor();
		await page.getByRole("dialog").getByLabel("Address").fill("nothing");
		await send.click();
		await page.getByText("This is not a valid address for the channel.").waitFor();
		for (const round of [1, 2]) {
			await page.getByRole("dialog").getByLabel("Address").fill(address);
			await send.click();
			await expect.poll(() => page.getByRole("dialog").count(), patience).toBe(0);
			if (round === 1) await add.click();
		}
		const lift = page.getByRole("button", { name: /^Lift the suppression of/ });
		await expect.poll(() => lift.count(), patience).toBe(1);
		for (const width of [390, 768, 1280]) {
			await page.setViewportSize({ width, height: 900 });
			expect(await faultsInThemes(page), `${width} px`).toEqual([]);
		}
		await lift.click();
		await page.getByRole("dialog").getByRole("button", { name: "Lift" }).click();
		await page.getByText("No address is suppressed.").waitFor();
		await open(page, "Messages");
		await heading(page, "Messages").waitFor();
		await page.getByLabel("State").selectOption("Bounced");
		await page.getByText("No message matches these filters.").waitFor();
		expect(new URL(page.url()).search).toBe("?status=bounced");
		await page.getByRole("button", { name: "Clear filters" }).click();
		for (const [path, title] of [
			["messages", "Messages"],
			["messages/statistics", "Statistics"],
			["messages/redrives", "Sending again"],
		] as const) {
			await page.goto(at(`/uhai/${path}`));
			await heading(page, title).waitFor();
			for (const width of [390, 768, 1280]) {
				await page.setViewportSize({ width, height: 900 });
				expect(await faultsInThemes(page), `${path} ${width} px`).toEqual([]);
			}
		}
	}));

test("a pack of SMS credit is bought once it is confirmed, and the balance changes when it is paid", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "SMS credit and WhatsApp");
		await heading(page, "SMS credit and WhatsApp").waitFor();
		const details = page.getByRole("main").locator("dl");
		await details.waitFor();
		const first = details.locator("dd").first();
		const balance = async () => Number((await first.textContent())?.replace(/\D/g, ""));
		const before = await balance();
		const change = page.getByRole("button", { name: "Change the warning" });
		await change.click();
		const dialog = page.getByRole("dialog");
		for (const wrong of ["", "-1", "many", "10000001"]) {
			await dialog.getByLabel("Warning below").fill(wrong);
			await dialog.getByRole("button", { name: "Save" }).click();
			await dialog.getByText("Enter a whole number from 0 to 10,000,000.").waitFor();
		}
		await dialog.getByRole("button", { name: "Cancel" }).click();
		const threshold = await details.locator("dd").last().textContent();
		for (const right of ["7", threshold?.replace(/\D/g, "") ?? ""]) {
			await change.click();
			await dialog.getByLabel("Warning below").fill(right);
			await dialog.getByRole("button", { name: "Save" }).click();
			await expect
				.poll(async () => (await details.locator("dd").last().textContent())?.replace(/\D/g, ""), patience)
				.toBe(right);
		}
		await page.getByRole("button", { name: "Buy the pack sms_100" }).click();
		await dialog.getByRole("button", { name: "Buy" }).dblclick();
		await expect.poll(balance, patience).toBeGreaterThan(before);
		await page.getByText("The credit was added.").first().waitFor();
		for (const width of [390, 768, 1280]) {
			await page.setViewportSize({ width, height: 900 });
			expect(await faultsInThemes(page), `${width} px`).toEqual([]);
		}
	}));

/** Sends a message of the category "operations" to the administrator, by e-mail; returns its id. */
async function sendAlert(): Promise<string> {
	const token = await tokenOf(stand, admin.email);
	const { sub } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
	const answer = await fetch(`${stand.urls.notifications}/api/v1/uhai/notifications/messages`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify({
			...{ channel: "email", template: "shared/system_alert", to: [`user:${sub}`] },
			data: {
				...{ name: "Amina", alert_title: "Scale 2", alert_message: "No weights.", severity: "warning" },
				action_link: "https://uhai.example/scales",
			},
		}),
	});
	if (!answer.ok) throw new Error(`the message is not accepted: ${await answer.text()}`);
	return ((await answer.json()) as { requestId: string }).requestId;
}

test("a message of a category that its recipient switched off is skipped, and its delivery says why", () =>
	visit(async (page) => {
		await enter(page, at("/uhai"), admin);
		await open(page, "Preferences");
		await heading(page, "Preferences").waitFor();
		const email = page.getByRole("group", { name: "Operations" }).getByLabel("E-mail");
		await email.uncheck();
		await page.getByLabel("Quiet from").fill("22:00");
		const save = page.getByRole("button", { name: "Save" });
		await save.click();
		await page.getByText("Enter when the quiet hours begin and end").waitFor();
		await page.getByLabel("Quiet until").fill("06:00");
		await save.click();
		await page.getByText("Your preferences are saved.").waitFor();
		const dialog = page.getByRole("dialog");
		const add = dialog.getByRole("button", { name: "Send the code" });
		await page.getByRole("button", { name: "Add an address" }).click();
		await add.click();
		await dialog.getByText("Enter the address.").waitFor();
		await dialog.getByLabel("Address").fill("nothing");
		await add.click();
		await dialog.getByText("This is not a valid address for the channel").waitFor();
		await dialog.getByLabel("Address").fill("amina.private@example.com");
		await add.click();
		await page.getByText("Waits for its code").waitFor();
		await page.getByRole("button", { name: "Enter the code" }).click();
		for (const [code, refusal] of [
			["12", "Enter the six digits of the code."],
			["000000", "The code is wrong or no longer valid."],
		] as const) {
			await dialog.getByLabel("Code").fill(code);
			await dialog.getByRole("button", { name: "Verify" }).click();
			await dialog.getByText(refusal).waitFor();
		}
		await dialog.getByRole("button", { name: "Cancel" }).click();
		for (const path of ["preferences", "preference-defaults"]) {
			await page.goto(at(`/uhai/${path}`));
			await page.getByRole("group", { name: "Operations" }).waitFor();
			for (const width of [390, 768, 1280]) {
				await page.setViewportSize({ width, height: 900 });
				expect(await faultsInThemes(page), `${path} ${width} px`).toEqual([]);
			}
		}
		await page.goto(at(`/uhai/messages/${await sendAlert()}`));
		await page.getByRole("main").getByRole("table").getByRole("link").first().click();
		await page.getByText("The recipient does not want messages of this category on this channel.").waitFor();
		await page.goto(at("/uhai/preferences"));
		await email.waitFor();
		expect(await email.isChecked()).toBe(false);
		await page.getByRole("button", { name: /^Remove am?/ }).click();
		await dialog.getByRole("button", { name: "Remove" }).click();
		await page.getByText("You have no further addresses.").waitFor();
		await page.getByRole("button", { name: "Reset all" }).click();
		await dialog.getByRole("button", { name: "Reset all" }).click();
		await expect.poll(() => email.isChecked(), patience).toBe(true);
	}));
