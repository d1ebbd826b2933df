import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { recordKeyUse } from "./console-owner-visit.ts";
import { open } from "./console-people-visit.ts";
import {
	confirmByName,
	enter,
	faultsOf,
	heading,
	openSharedConsole,
	type SharedConsole,
	signIn,
} from "./console-visit.ts";

const admin = { email: "admin@uhai.example" };

let stand: SharedConsole;
beforeAll(async () => {
	stand = await openSharedConsole();
});
const visit: SharedConsole["visit"] = (...args) => stand.visit(...args);
const at = (path: string) => `${stand.urls.console}${path}`;
const dialog = (page: Page) => page.getByRole("dialog");

test("an API key is created, shown once, used, listed with its last use, and revoked", () =>
	visit(async (page) => {
		const name = "Lab results import";
		await enter(page, at("/uhai"), admin);
		await open(page, "Roles in services");
		await page.getByRole("link", { name: "Roles and people of Hospital" }).click();
		await page
			.getByRole("navigation", { name: "Parts of this page" })
			.getByRole("link", { name: "API keys" })
			.click();
		await heading(page, "API keys: Hospital").waitFor();
		const create = page.getByRole("button", { name: "Create a key", exact: true });
		await create.click();
		const send = dialog(page).getByRole("button", { name: "Create a key" });
		await send.click();
		await dialog(page).getByRole("alert").getByText("Enter a name.").waitFor();
		await dialog(page).getByLabel("Name").fill(name);
		await send.click();
		await dialog(page).getByRole("alert").getByText("Choose at least one permission.").waitFor();
		await dialog(page)
			.getByRole("checkbox", { name: /^Settings: see/ })
			.check();
		await dialog(page).getByLabel("Valid for").selectOption("30 days");
		await send.click();
		const secret = page.getByRole("textbox", { name: "API key" });
		const key = await secret.inputValue();
		expect(key).toMatch(/^lk_/);
		const row = page.getByRole("row").filter({ hasText: name });
		await row.getByText("Settings: see").waitFor();
		await row.getByText("All outlets").waitFor();
		await row.getByText("By Asha Mwangi").waitFor();
		await row.getByRole("cell", { name: "Never", exact: true }).waitFor();
		for (const width of [360, 768, 1280]) {
			await page.setViewportSize({ width, height: 900 });
			expect(await faultsOf(page), `${width} px`).toEqual([]);
		}

		const use = async () =>
			(await fetch(`${stand.urls.hospital}/api/v1/uhai/hospital/config`, { headers: { "x-api-key": key } }))
				.status;
		expect(await use()).toBe(200);
		const reload = async () => {
			await page.reload();
			await row.waitFor();
		};
		await reload();
		expect(await secret.count()).toBe(0);
		await recordKeyUse(stand, name);
		await reload();
		expect(await row.getByRole("cell", { name: "Never", exact: true }).count()).toBe(0);

		await row.getByRole("button", { name: `Revoke ${name}` }).click();
		await confirmByName(page, name, "Revoke");
		await page.getByText(`The key ${name} was revoked.`).waitFor();
		await row.getByText("Revoked", { exact: true }).waitFor();
		expect(await row.getByRole("button").count()).toBe(0);
		expect(await use()).toBe(401);
	}));

test("the page of the API keys is refused to a person who may not see them", () =>
	visit(async (page) => {
		await page.goto(at("/uhai/access/hospital/keys"));
		await signIn(page, "pharm@uhai.example");
		await heading(page, "You don’t have access").waitFor();
	}));
