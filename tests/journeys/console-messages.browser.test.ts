import { beforeAll, expect, test } from "vitest";
import { patience } from "./browser.ts";
import { open } from "./console-people-visit.ts";
import { enter, faultsInThemes, heading, openSharedConsole, type SharedConsole } from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };

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
		await page.getByRole("alert").getByText("Enter the address.").waitFor();
		await page.getByRole("dialog").getByLabel("Address").fill("nothing");
		await send.click();
		await page.getByRole("alert").getByText("This is not a valid address for the channel.").waitFor();
		for (const round of [1, 2]) {
			await page.getByRole("dialog").getByLabel("Address").fill(address);
			await send.click();
			await expect.poll(() => page.getByRole("dialog").count(), patience).toBe(0);
			if (round === 1) await add.click();
		}
		const lift = page.getByRole("button", { name: /^Lift the suppression of/ });
		await expect.poll(() => lift.count(), patience).toBe(1);
		await page.setViewportSize({ width: 390, height: 900 });
		expect(await faultsInThemes(page)).toEqual([]);
		await lift.click();
		await page.getByRole("dialog").getByRole("button", { name: "Lift" }).click();
		await page.getByText("No address is suppressed.").waitFor();
		await open(page, "Messages");
		await heading(page, "Messages").waitFor();
		await page.getByLabel("Status").selectOption("Bounced");
		await page.getByText("No results.").waitFor();
		expect(new URL(page.url()).search).toBe("?status=bounced");
		await page.getByRole("button", { name: "Remove filters" }).click();
	}));
