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
		for (const path of ["messages", "messages/statistics", "messages/redrives"]) {
			await page.goto(at(`/uhai/${path}`));
			await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
			for (const width of [390, 768, 1280]) {
				await page.setViewportSize({ width, height: 900 });
				expect(await faultsInThemes(page), `${path} ${width} px`).toEqual([]);
			}
		}
	}));

/** Puts a pack of SMS credit on sale, or withdraws it, as the platform owner. */
async function offerPack(isOnSale: boolean): Promise<void> {
	const token = await tokenOf(stand, "root@lango.example");
	const { tenant_id } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
	const address = `${stand.urls.notifications}/api/v1/lango/notifications/credits/packs`;
	const answer = await fetch(`${address}?tenantId=${tenant_id}`, {
		method: "PUT",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify({
			...{ code: "journey_100", segments: 100, price_minor: 8_000, currency: "KES" },
			is_on_sale: isOnSale,
		}),
	});
	if (!answer.ok) throw new Error(`the pack is not changed: ${await answer.text()}`);
}

test("a pack of SMS credit is bought once it is confirmed, and the balance changes when it is paid", () =>
	visit(async (page) => {
		await offerPack(true);
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
		await page.getByRole("button", { name: "Buy the pack journey_100" }).click();
		await dialog.getByRole("button", { name: "Buy" }).dblclick();
		await expect.poll(balance, patience).toBeGreaterThan(before);
		await page.getByText("The credit was added.").first().waitFor();
		for (const width of [390, 768, 1280]) {
			await page.setViewportSize({ width, height: 900 });
			expect(await faultsInThemes(page), `${width} px`).toEqual([]);
		}
		await offerPack(false);
	}));
