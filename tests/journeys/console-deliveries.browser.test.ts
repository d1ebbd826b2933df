import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { type Deliveries, openDeliveries } from "./console-deliveries-visit.ts";
import { faultsInThemes, openPath, openSharedConsole, signIn } from "./console-visit.ts";
import { mailTo } from "./sandbox-inbox.ts";

let own: Deliveries;
beforeAll(async () => {
	own = await openDeliveries(await openSharedConsole());
});
afterAll(() => own?.close());

const rowOf = (page: Page, name: string | RegExp) => page.getByRole("row").filter({ hasText: name });
const dialog = (page: Page) => page.getByRole("dialog");
const confirm = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true }).click();
const timeline = (page: Page) => page.getByRole("region", { name: "What happened" });

/** Signs in at a page of the tenant's console. */
async function enter(page: Page, path: string): Promise<void> {
	await page.goto(own.at(path));
	await signIn(page, own.email);
}

/** Opens the delivery of a message to an address, from the page of the message. */
async function openDelivery(page: Page, message: string, address: RegExp): Promise<void> {
	await openPath(page, `${own.path}/messages/${message}`);
	await page.getByRole("link", { name: address }).click();
	await timeline(page).waitFor();
}

test("the feed says what became of each message, and a delivery explains every refusal, retry and skip", () =>
	own.stand.visit(async (page) => {
		await enter(page, "/messages");
		const mails = rowOf(page, "shared/generic_notification");
		for (const count of ["Sent: 1", "Refused: 2", "Waiting: 1"]) await mails.getByText(count).waitFor();
		await rowOf(page, "shared/system_alert").getByText("Waiting: 1").waitFor();
		await page.getByLabel("Status").selectOption("No SMS credit");
		await expect.poll(() => page.getByRole("rowheader").count(), patience).toBe(1);

		await rowOf(page, "No SMS credit: 1").getByRole("link").click();
		await page.getByRole("link", { name: /01$/ }).click();
		await timeline(page).getByText("There was not enough SMS credit, so nothing was sent.").waitFor();
		expect(await timeline(page).getByText("It is tried until").count()).toBe(0);

		await openDelivery(page, own.mails, /^t…y@/);
		await timeline(page).getByText("Attempt 1: the message was refused. Provider: sandbox.").waitFor();
		await timeline(page).getByText("Next attempt:").first().waitFor();

		await openDelivery(page, own.mails, /^g…e@/);
		await timeline(page).getByText("The mail server says that the address does not exist").waitFor();
		await page.getByRole("button", { name: "Show address" }).click();
		await page.getByText(own.gone, { exact: true }).waitFor();

		await page.getByRole("button", { name: "Kiswahili" }).click();
		await page.setViewportSize({ width: 390, height: 844 });
		expect(await faultsInThemes(page), "the delivery").toEqual([]);
		await openPath(page, `${own.path}/messages/${own.mails}`);
		await page.getByRole("link", { name: /^g…e@/ }).waitFor();
		expect(await faultsInThemes(page), "the message").toEqual([]);
	}));

test("what waits is cancelled, what may have been sent is sent again after a warning, and what failed by a filter", () =>
	own.stand.visit(async (page) => {
		await enter(page, `/messages/${own.scheduled}`);
		await page.getByRole("button", { name: "Cancel what waits" }).click();
		await confirm(page, "Cancel the deliveries");
		await page.getByText("The deliveries that waited are cancelled.").waitFor();
		await expect
			.poll(() => page.getByRole("button", { name: "Cancel what waits" }).count(), patience)
			.toBe(0);
		await openDelivery(page, own.scheduled, /^l…r@/);
		await timeline(page).getByText("It was cancelled before it was sent.").waitFor();

		await own.losesOutcome();
		await openDelivery(page, own.mails, /^s…t@/);
		await page.getByText("It is not known whether the message was sent.").waitFor();
		await page.getByRole("button", { name: /^Send again to s…t@/ }).click();
		await dialog(page).getByText("although it may arrive twice?").waitFor();
		await confirm(page, "Send again, it may arrive twice");
		await page.getByText("Sent again", { exact: true }).waitFor();
		await expect.poll(() => own.countMails(own.sent), patience).toBe(2);

		await own.setFaults([]);
		await openPath(page, `${own.path}/messages/redrives`);
		await page.getByText("Nothing was sent again yet.").waitFor();
		await page.getByRole("button", { name: "Send again by filter" }).click();
		const start = () => confirm(page, "Send again by filter");
		for (const state of ["Refused", "Given up"]) await dialog(page).getByLabel(state).uncheck();
		await start();
		await dialog(page).getByRole("alert").getByText("Choose at least one state.").waitFor();
		await dialog(page).getByLabel("Refused").check();
		await dialog(page).getByLabel("From day").fill("2026-11-02");
		await dialog(page).getByLabel("To day").fill("2026-11-01");
		await start();
		await dialog(page)
			.getByRole("alert")
			.getByText("The last day must not be before the first one.")
			.waitFor();
		for (const day of ["From day", "To day"]) await dialog(page).getByLabel(day).fill("");
		await dialog(page).getByLabel("Error code").fill("smtp_554_5.6.0");
		await dialog(page).getByRole("button", { name: "Send again by filter" }).dblclick();
		await page.getByText("1 delivery is sent again.").waitFor();
		await mailTo(own.stand, own.full, "Stock is low");
		const result = async () => {
			await page.reload();
			await page.getByRole("row").first().waitFor();
			return (await page.getByRole("cell").filter({ hasText: "Sent again:" }).allTextContents()).join();
		};
		await expect.poll(result, patience).toContain("Sent again: 1");
		expect(await page.getByRole("row").count(), "the head and one redrive").toBe(2);
	}));

/** Pages of notifications below the platform owner's own tenant, and what they show. */
const ownersPages = [
	["messages", "sign_on/"],
	["inbox", "Mark all as read"],
	["preferences", "You have no further addresses."],
	["preference-defaults", "Operations"],
] as const;

test("an address that does not exist is suppressed for everyone, and only the platform's owner lifts that", () =>
	own.stand.visit(async (page) => {
		await enter(page, `/messages/${own.mails}`);
		await page.getByRole("link", { name: /^g…e@/ }).click();
		await page.getByRole("button", { name: /^Send again to g…e@/ }).click();
		await confirm(page, "Send again");
		await page.getByText("Suppressed: 1").waitFor();
		await page.getByRole("link", { name: /^g…e@/ }).click();
		await timeline(page).getByText("The address is suppressed, so nothing was sent.").waitFor();
		await page.getByRole("link", { name: "View suppressions" }).click();
		await page.getByText("No address is suppressed.").waitFor();
		await page.getByLabel("Channel").selectOption("E-mail");
		const find = page.getByLabel("Address (exact)");
		await find.fill(own.gone);
		await find.press("Enter");
		await page.getByText("Of every organisation").waitFor();
		const lift = page.getByRole("button", { name: /^Lift the suppression of g…e@/ });
		await lift.click();
		await confirm(page, "Lift");
		await dialog(page).getByText("Only the platform owner can lift this").waitFor();
		await confirm(page, "Cancel");

		await own.stand.visit(async (owner) => {
			const query = new URLSearchParams({ channel: "email", address: own.gone });
			await owner.goto(`${own.stand.urls.console}/lango/suppressions?${query}`);
			await signIn(owner, "root@lango.example");
			await owner.getByRole("button", { name: /^Lift the suppression of g…e@/ }).click();
			await confirm(owner, "Lift");
			await owner.getByText("No results.").waitFor();
			for (const [page, shown] of ownersPages) {
				await openPath(owner, `/lango/${page}`);
				await owner.getByText(shown).first().waitFor();
				expect(await owner.getByText("Something went wrong").count(), page).toBe(0);
			}
		});
		await page.reload();
		await page.getByText("No results.").waitFor();
	}));
